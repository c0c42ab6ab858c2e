// Reading why a server says no.

const longestRefusal = 4000;

/** The beginning of an answer that says no, so that its reason can be told. */
export async function refusalText(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > longestRefusal) break;
  }
  return text.slice(0, longestRefusal);
}
