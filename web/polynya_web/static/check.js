// Checks published secrets and deals in the reader's browser: what a secret was committed to, and that a
// deal follows from it. The server gives the committed text as it was hashed; nothing is built anew here.

const bytes = (text) => new TextEncoder().encode(text);
const ofHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

const sha256 = async (text) => hex(await crypto.subtle.digest("SHA-256", bytes(text)));

async function hmac(key, text) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", imported, bytes(text)));
}

/** Whether a secret is the one that was committed to, for this content. */
async function secretHolds({ secret, content, commitment }) {
  return (await sha256(`polynya-secret-1\n${secret}\n${content}`)) === commitment;
}

/** Whether a deal is the one that was committed to, and follows from the secret once that is out. */
async function dealHolds({ deal, commitment, secret, beacon, text }) {
  if ((await sha256(`polynya-deal-1\n${deal}`)) !== commitment) return false;
  if (secret === undefined || text === undefined) return true;
  const key = beacon === undefined ? ofHex(secret) : ofHex(await hmac(ofHex(secret), `beacon\n${beacon}`));
  return (await hmac(key, text)) === deal;
}

const HOLDS = { secret: secretHolds, deal: dealHolds };

for (const place of document.querySelectorAll("[data-check]")) {
  const button = place.querySelector("button");
  const result = place.querySelector("output");
  if (globalThis.crypto?.subtle === undefined) {
    result.textContent = place.dataset.insecure;
    continue;
  }
  button.hidden = false;
  button.addEventListener("click", async () => {
    const holds = await HOLDS[place.dataset.check](place.dataset);
    result.textContent = holds ? place.dataset.right : place.dataset.wrong;
    result.className = holds ? "good" : "bad";
  });
}
