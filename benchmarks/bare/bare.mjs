// Answers every so many bytes with so many others, and does nothing else.
import { connect } from "node:net";

const [port, size, answerSize] = process.argv.slice(2).map(Number);
const answer = Buffer.alloc(answerSize);
answer.writeUInt32BE(answerSize - 4);
let missing = size;
const socket = connect({ host: "127.0.0.1", port, noDelay: true });
socket.on("data", (data) => {
  missing -= data.length;
  if (missing > 0) return;
  missing += size;
  socket.write(answer);
});
