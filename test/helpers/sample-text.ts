const words =
  "the model reads every token once and keeps what it has seen while a quiet fan turns above the desk and rain falls on the glass of an old window where someone writes down which answer was right".split(
    " ",
  );

/** Text of so many words, always the same for the same number: prose, with a list and a code block where it is long. */
export function sampleText(number: number, length: number): string {
  const word = (index: number): string => words[(number * 7 + index * ((number % 5) + 3)) % words.length] ?? "token";
  const prose = Array.from({ length }, (_, index) => word(index)).join(" ");
  if (length < 60 || number % 4 !== 0) return prose;
  return `${prose}\n\n- **${word(1)}** ${word(2)}\n- \`${word(3)}\` ${word(4)}\n\n\`\`\`ts\nconst ${word(5)} = ${number};\n\`\`\`\n`;
}
