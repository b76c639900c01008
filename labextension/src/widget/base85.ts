/** Characters that JSON, JavaScript and HTML don't escape. */
export const LETTERS =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#%()*+,-./:;=?@[]^_{|}';

/** Decodes base 85, which has four bytes in five characters: a sixth less than base64. */
export function unpack85(text: string, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new DataView(new ArrayBuffer((text.length / 5) * 4));
  for (let group = 0; group * 5 < text.length; group += 1) {
    let value = 0;
    for (let index = group * 5; index < group * 5 + 5; index += 1) {
      value = value * 85 + LETTERS.indexOf(text.charAt(index));
    }
    bytes.setUint32(group * 4, value);
  }
  return new Uint8Array(bytes.buffer, 0, length);
}
