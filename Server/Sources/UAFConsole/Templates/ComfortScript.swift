/// The script that makes the console's pages more comfortable; every page works without it.
///
/// It shows times in the browser's own zone, copies identifiers and codes, counts down to an end, and folds menus. It contains
/// no texts, makes no request, and reads nothing but the page.
enum ComfortScript {
  /// The path contains a version, so that no browser uses an old script with new pages.
  static let path = "/console/comfort-1.js"

  static let text = """
    "use strict";

    // A block, so that no name meets one of the script for passkeys on the same page.
    {
      const two = (number) => String(number).padStart(2, "0");
      const root = document.documentElement;

      // A zone that the person has chosen is in a cookie that no script can change.
      if (!root.dataset.zone) {
        const offset = -new Date().getTimezoneOffset();
        document.cookie = `__Host-uaf-zone=${offset}; Path=/; Secure; SameSite=Strict`;
        for (const time of document.querySelectorAll("time[datetime]")) {
          const date = new Date(time.dateTime);
          const exact = time.querySelector("span");
          if (Number.isNaN(date.getTime()) || !exact) continue;
          exact.textContent = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
            + `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
        }
      }

      // How long ago, or in how long; an end that is near is counted down.
      const words = new Intl.RelativeTimeFormat(root.lang, { numeric: "always" });
      const units = [[31536000, "year"], [86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
      const times = [...document.querySelectorAll("time[datetime]")].filter((time) => !Number.isNaN(Date.parse(time.dateTime)));
      // The browser's clock may differ from the server's; only the time since the page was made is taken from it.
      const began = Date.now();
      const made = Date.parse(root.dataset.now);
      const tell = () => {
        const now = (Number.isNaN(made) ? began : made) + Date.now() - began;
        for (const time of times) {
          const place = time.querySelector("small");
          const seconds = Math.trunc((Date.parse(time.dateTime) - now) / 1000);
          const [size, unit] = seconds > 0 && seconds < 600
            ? [1, "second"] : units.find(([size]) => Math.abs(seconds) >= size) || [1, "second"];
          if (place) place.textContent = words.format(Math.trunc(seconds / size), unit);
        }
      };
      if (times.length) setInterval(tell, 1000);

      for (const place of document.querySelectorAll("[data-copy]")) {
        const button = place.querySelector("button.copy");
        if (!button || !navigator.clipboard) continue;
        button.hidden = false;
        button.addEventListener("click", async () => {
          await navigator.clipboard.writeText(place.dataset.copy);
          button.classList.add("done");
        });
      }

      const folding = document.querySelectorAll("details.more, details.row");
      document.addEventListener("click", (event) => {
        for (const menu of folding) if (!menu.contains(event.target)) menu.open = false;
      });
      document.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        for (const menu of folding) {
          if (menu.open && menu.contains(document.activeElement)) menu.querySelector("summary").focus();
          menu.open = false;
        }
      });

      const all = document.querySelector("form.picking th.pick");
      if (all) {
        const boxes = [...document.querySelectorAll("form.picking td.pick input")];
        const box = document.createElement("input");
        box.type = "checkbox";
        box.setAttribute("aria-label", all.textContent);
        box.addEventListener("change", () => { for (const each of boxes) each.checked = box.checked; });
        all.append(box);
      }
    }

    """
}
