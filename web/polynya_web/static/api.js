// The page `/api`: the API's own description, shown by Swagger UI in the colours of the page.

import { base } from "./base.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const { theme } = document.documentElement.dataset;

function colour() {
  const isDark = theme === "dark" || (theme === "auto" && dark.matches);
  document.documentElement.classList.toggle("dark-mode", isDark);
}

/** Swagger UI's addresses and types alone: the page has a heading and a main part of its own. */
function withLayout({ React }) {
  const element = React.createElement;
  function Addresses({ getComponent, specSelectors }) {
    if (specSelectors.loadingStatus() !== "success") return element("p", {}, "…");
    const parts = ["operations", "Models"].map((name) => element(getComponent(name, true), { key: name }));
    return element("div", { className: "swagger-ui" }, parts);
  }
  return { components: { Addresses } };
}

colour();
dark.addEventListener("change", colour);
SwaggerUIBundle({
  url: `${base}/api/v1/openapi.json`,
  dom_id: "#api",
  deepLinking: false, // with links in them, its buttons could not be used by screen readers
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  layout: "Addresses",
  plugins: [withLayout],
  supportedSubmitMethods: ["get"], // what changes something needs a token: not from here
  validatorUrl: null,
});
