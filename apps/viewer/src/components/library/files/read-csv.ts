const cell = (text: string) => text.trim();

/** Rows of cells; quoted cells hold separators and line breaks. The separator is the one the first line uses. */
export function readCsv(text: string): string[][] {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  const separator = firstLine.split(";").length > firstLine.split(",").length ? ";" : ",";
  const rows: string[][] = [];
  let row: string[] = [];
  let value = "";
  let isQuoted = false;
  const endRow = () => {
    row.push(cell(value));
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    value = "";
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (isQuoted) {
      if (character !== '"') value += character;
      else if (text[index + 1] === '"') {
        value += character;
        index += 1;
      } else isQuoted = false;
    } else if (character === '"' && value.trim() === "") isQuoted = true;
    else if (character === separator) {
      row.push(cell(value));
      value = "";
    } else if (character === "\n" || character === "\r") endRow();
    else value += character;
  }
  endRow();
  return rows;
}
