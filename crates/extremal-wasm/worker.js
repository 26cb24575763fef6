// Answers questions with the desk that was compiled to WebAssembly. It needs nothing from outside.
const ready = WebAssembly.instantiateStreaming(fetch("extremal.wasm"), {});

self.onmessage = async ({ data: { number, text } }) => {
  try {
    const { instance: { exports: desk } } = await ready;
    const question = new TextEncoder().encode(text);
    const room = desk.question(question.length);
    new Uint8Array(desk.memory.buffer, room, question.length).set(question);
    const length = desk.answer(), at = desk.answer_at();
    const bytes = new Uint8Array(desk.memory.buffer, at, length).slice().buffer;
    self.postMessage({ number, bytes }, [bytes]);
  } catch (error) {
    // After a trap the memory is not to be trusted: the page begins with another worker.
    setTimeout(() => { throw error; });
  }
};
