// What does the server that the reference host stands on deliver? Node's `ws`: every message goes to every socket,
// one with an `id` back to its sender.

const { WebSocketServer } = require("ws");

const server = new WebSocketServer({ host: "127.0.0.1", port: Number(process.argv[2]), perMessageDeflate: false });

server.on("connection", (socket) => {
  socket.on("message", (data) => {
    const text = data.toString();
    if (text.slice(0, 48).includes('"id":')) {
      socket.send(text);
      return;
    }
    for (const each of server.clients) each.send(text);
  });
  socket.on("error", () => socket.terminate());
});
