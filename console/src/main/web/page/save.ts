// Files that the page writes itself.

/** Offers content as a file, as a click on a link to it does. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A field of CSV (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe, as in the engine's CSV. */
function field(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Lines of CSV, the first of them the names of the columns; an unknown value is empty. */
export const csv = <T extends object>(columns: (keyof T & string)[], rows: T[]): string =>
  [columns, ...rows.map(row => columns.map(column => String(row[column] ?? '')))]
    .map(line => `${line.map(field).join(',')}\r\n`)
    .join('');
