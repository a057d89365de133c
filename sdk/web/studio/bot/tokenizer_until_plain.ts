export function tokenize(text: string): string[] {
  const normal = [...text]
    .slice(0, 4096)
    .join('')
    .replace(/[\u2019\u2018\u02bc`\u00b4]/g, "'")
    .normalize('NFKC')
    .toLowerCase();
  const tokens: string[] = [];
  const run =
    /[\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]|\p{L}[\p{L}\p{M}]*(?:'\p{L}[\p{L}\p{M}]*)*|\p{Nd}+|[\p{Nl}\p{No}\p{S}\p{Cn}\p{Co}]/gu;
  for (const [word] of normal.matchAll(run)) tokens.push(...(word.match(/'?[^']+/g) ?? []));
  return tokens;
}
