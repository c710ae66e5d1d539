// The dashboard looks again every few seconds, while somebody looks at it.
"use strict";
setInterval(async () => {
  if (document.hidden) { return; }
  try {
    const reply = await fetch("/desk", { credentials: "same-origin" });
    if (!reply.ok) { return; }
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    document.getElementById("live").replaceWith(fresh.getElementById("live"));
  } catch { /* the server is away for a moment: the next look comes soon */ }
}, 5000);
