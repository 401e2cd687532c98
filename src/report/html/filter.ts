import { html, type Markup, nothing, type Part } from "./markup";

export type FilterName = "action" | "cause" | "project";

/** A choice of the filter: entries bear the value they have as `data-NAME`, several with spaces between. */
export interface Choice {
  readonly name: FilterName;
  readonly label: string;
  readonly values: readonly string[];
  readonly wordOf?: (value: string) => string;
}

/**
 * Writes the form that filters the entries of a page, called `subject` (`changes`). It is hidden until the script shows it:
 * without one it could do nothing.
 */
export function filterForm(subject: string, choices: readonly Choice[]): Markup {
  return html`<form id="filter" role="search" aria-label="Filter the ${subject}" hidden>
<label>Text <input type="search" name="text" autocomplete="off" placeholder="address, field or value"></label>
${choices.map(select)}
<span class="buttons"><button type="button" name="open">Open all</button> <button type="reset">Reset</button></span>
<output name="shown" aria-live="polite"></output>
<p class="keys">Keys: <kbd>/</kbd> search, <kbd>j</kbd> and <kbd>k</kbd> next and previous entry, <kbd>Enter</kbd> open it.</p>
</form>
`;
}

function select({ name, label, values, wordOf = (value) => value }: Choice): Part {
  const distinct = [...new Set(values)].sort();
  return distinct.length < 2
    ? nothing
    : html`<label>${label} <select name="${name}"><option value="">any${distinct.map((value) => html`<option value="${value}">${wordOf(value)}`)}</select></label>`;
}
