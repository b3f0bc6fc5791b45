// A page without kernel: the traits are in the page, and a model that only keeps them.

function unpacked(value) {
  if (value?.base64 === undefined) return value;
  const text = atob(value.base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new DataView(bytes.buffer);
}

class KeptModel {
  constructor(state) {
    this.state = Object.fromEntries(Object.entries(state).map(([key, value]) => [key, unpacked(value)]));
    this.listeners = {};
  }
  get(key) {
    return this.state[key];
  }
  set(key, value) {
    if (this.state[key] === value) return;
    this.state[key] = value;
    for (const listener of this.listeners[`change:${key}`] ?? []) listener();
  }
  save_changes() {}
  send() {}
  on(name, listener) {
    (this.listeners[name] ??= []).push(listener);
  }
  off(name, listener) {
    this.listeners[name] = (this.listeners[name] ?? []).filter((kept) => kept !== listener);
  }
}

const model = new KeptModel(/* state */ {});
view.render({ model, el: document.getElementById("simulator") });
