// Labels and annotations as lines of a text field: `name=text`, one in a line. A line break inside a text is `\n` there, a backslash `\\`.

const escaped = (value: string) => value.replace(/\\/g, '\\\\').replace(/\r/g, '\\r').replace(/\n/g, '\\n');
const plain = (value: string) => value.replace(/\\([\\nr])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter === 'r' ? '\r' : '\\'));

export const lines = (texts: Record<string, string>): string => Object.entries(texts).map(([name, value]) => `${name}=${escaped(value)}`).join('\n');

export const pairs = (text: string): Record<string, string> =>
  Object.fromEntries(text.split('\n').filter(line => line.trim() !== '').map(line => {
    const [name = '', ...value] = line.split('=');
    return [name.trim(), plain(value.join('=').trim())];
  }));
