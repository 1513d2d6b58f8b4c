const monthNames = "January February March April May June July August September October November December".split(" ");
const dayNames = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/**
 * Formats a local time as Python's `strftime` does in its C locale, which chat templates are written for: English names
 * whatever the user's language. Unknown directives stay as they are.
 */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([a-zA-Z%])/g, (directive, noPadding: string, letter: string) => {
    const value = directiveValue(date, letter);
    if (value === null) return directive;
    return noPadding === "-" ? value.replace(/^0(?=\d)/, "") : value;
  });
}

function directiveValue(date: Date, letter: string): string | null {
  const two = (value: number): string => String(value).padStart(2, "0");
  switch (letter) {
    case "Y":
      return String(date.getFullYear());
    case "y":
      return two(date.getFullYear() % 100);
    case "m":
      return two(date.getMonth() + 1);
    case "d":
      return two(date.getDate());
    case "B":
      return monthNames[date.getMonth()] ?? null;
    case "b":
      return monthNames[date.getMonth()]?.slice(0, 3) ?? null;
    case "A":
      return dayNames[date.getDay()] ?? null;
    case "a":
      return dayNames[date.getDay()]?.slice(0, 3) ?? null;
    case "H":
      return two(date.getHours());
    case "I":
      return two(date.getHours() % 12 || 12);
    case "M":
      return two(date.getMinutes());
    case "S":
      return two(date.getSeconds());
    case "p":
      return date.getHours() < 12 ? "AM" : "PM";
    case "%":
      return "%";
    default:
      return null;
  }
}
