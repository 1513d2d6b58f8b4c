/** Chat templates of the kinds that model files carry, in wording of our own. */

/** A turn a message, no conditions. */
export const chatMlTemplate = `
{%- for message in messages -%}
  {{ '<|im_start|>' ~ message.role ~ '\\n' ~ message.content ~ '<|im_end|>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{ '<|im_start|>assistant\\n' }}
{%- endif -%}`;

/** As ChatML, with a system prompt of its own where there is none. */
export const defaultSystemTemplate = `
{%- if messages[0]['role'] != 'system' -%}
  {{ '<|im_start|>system\\nBe of use.<|im_end|>\\n' }}
{%- endif -%}${chatMlTemplate}`;

/** Headers around roles, contents trimmed, BOS written by the template. */
export const headersTemplate = `{{ bos_token }}
{%- for message in messages -%}
  {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif -%}`;

/** Insists on alternating roles, has none for the system, writes a space before an answer, has no generation prompt. */
export const alternatingTemplate = `{{ bos_token }}
{%- for message in messages -%}
  {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
    {{ raise_exception('After a user message comes an answer, and so on') }}
  {%- endif -%}
  {%- if message['role'] == 'user' -%}
    {{ '[INST] ' + message['content'] + ' [/INST]' }}
  {%- else -%}
    {{ ' ' + message['content'] + eos_token }}
  {%- endif -%}
{%- endfor -%}`;

/** Refuses the system role and trims. */
export const noSystemTemplate = `{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}{{ raise_exception('There is no system role') }}{%- endif -%}
{%- for message in messages -%}
  {%- set role = 'model' if message['role'] == 'assistant' else message['role'] -%}
  {{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}`;

/** Takes the thoughts out of every answer in the history. */
export const thoughtsTemplate = `
{%- for message in messages -%}
  {%- set content = message.content -%}
  {%- if message.role == 'assistant' and '</think>' in content -%}
    {%- set content = content.split('</think>')[-1].lstrip('\\n') -%}
  {%- endif -%}
  {{ '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}`;

/** Passes over system messages without a word. */
export const silentSystemTemplate = `
{%- for message in messages if message.role != 'system' -%}
  {{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor -%}
{{ '<|im_start|>assistant\\n' }}`;
