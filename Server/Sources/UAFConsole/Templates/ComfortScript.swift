/// The script that makes the console's pages more comfortable; every page works without it.
///
/// It shows times in the browser's own zone, copies identifiers and codes, counts down to an end, folds menus, and searches a
/// list while somebody types. It contains no texts. The only request that it makes is the one of the search's own form, and it
/// puts the parts of the answer, which the browser has read, in the place of the old ones: no script turns a text into markup.
enum ComfortScript {
  /// The path contains a version, so that no browser uses an old script with new pages.
  static let path = "/console/comfort-2.js"

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
      }

      const showZone = (place) => {
        if (root.dataset.zone) return;
        for (const time of place.querySelectorAll("time[datetime]")) {
          const date = new Date(time.dateTime);
          const exact = time.querySelector("span");
          if (Number.isNaN(date.getTime()) || !exact) continue;
          exact.textContent = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
            + `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
        }
      };

      const offerCopies = (place) => {
        for (const button of place.querySelectorAll("button.copy")) {
          const text = button.parentElement.querySelector("code, pre");
          if (!text || !navigator.clipboard) continue;
          button.hidden = false;
          button.addEventListener("click", async () => {
            await navigator.clipboard.writeText(text.textContent);
            button.classList.add("done");
            button.textContent = button.dataset.done;
          });
        }
      };

      const offerAll = (place) => {
        const all = place.querySelector("form.picking th.pick");
        if (!all) return;
        const boxes = [...place.querySelectorAll("form.picking td.pick input")];
        const box = document.createElement("input");
        box.type = "checkbox";
        box.setAttribute("aria-label", all.textContent);
        box.addEventListener("change", () => { for (const each of boxes) each.checked = box.checked; });
        all.append(box);
      };

      const dress = (place) => {
        showZone(place);
        offerCopies(place);
        offerAll(place);
      };
      dress(document);

      // How long ago, or in how long; an end that is near is counted down.
      const words = new Intl.RelativeTimeFormat(root.lang, { numeric: "always" });
      const units = [[31536000, "year"], [86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
      // The browser's clock may differ from the server's; only the time since the page was made is taken from it.
      const began = Date.now();
      const made = Date.parse(root.dataset.now);
      const tell = () => {
        const now = (Number.isNaN(made) ? began : made) + Date.now() - began;
        for (const time of document.querySelectorAll("time[datetime]")) {
          const place = time.querySelector("small");
          const seconds = Math.trunc((Date.parse(time.dateTime) - now) / 1000);
          if (!place || Number.isNaN(seconds)) continue;
          const [size, unit] = seconds > 0 && seconds < 600
            ? [1, "second"] : units.find(([size]) => Math.abs(seconds) >= size) || [1, "second"];
          place.textContent = words.format(Math.trunc(seconds / size), unit);
        }
      };
      setInterval(tell, 1000);

      const menus = () => document.querySelectorAll("details.more, details.row");
      document.addEventListener("click", (event) => {
        for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
      });
      document.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        for (const menu of menus()) {
          if (menu.open && menu.contains(document.activeElement)) menu.querySelector("summary").focus();
          menu.open = false;
        }
      });

      // A search that follows what is typed. The box is never replaced: it has the cursor, and perhaps half a syllable.
      const form = document.querySelector("main > search > form[data-live]");
      if (form) {
        const pause = 300;
        const box = form.querySelector("input[type=search]");
        const search = form.parentElement;
        const told = document.createElement("p");
        told.className = "unseen";
        told.setAttribute("role", "status");
        search.append(told);
        const place = () => location.pathname + location.search;
        let shown = place();
        let timer = 0;
        let request = null;
        let hasEntry = false;

        const stop = () => {
          clearTimeout(timer);
          if (request) request.abort();
          request = null;
        };

        const replace = (fresh) => {
          const [before, after] = [document.createDocumentFragment(), document.createDocumentFragment()];
          while (fresh.previousSibling) before.prepend(fresh.previousSibling);
          while (fresh.nextSibling) after.append(fresh.nextSibling);
          dress(before);
          dress(after);
          while (search.previousSibling) search.previousSibling.remove();
          while (search.nextSibling) search.nextSibling.remove();
          search.before(before);
          search.after(after);
          const [old, chips] = [search, fresh].map((each) => each.querySelector(".chips"));
          if (old && chips) old.replaceWith(chips);
          const count = search.parentElement.querySelector(".count, .empty");
          told.textContent = count ? count.textContent : "";
        };

        const ask = () => {
          stop();
          const fields = [...new FormData(form)].filter(([, value]) => value);
          const query = new URLSearchParams(fields).toString();
          const url = form.getAttribute("action") + (query ? `?${query}` : "");
          if (url === shown) return;
          request = new XMLHttpRequest();
          request.open("GET", url);
          request.responseType = "document";
          const mine = request;
          request.addEventListener("load", () => {
            if (mine !== request) return;
            const fresh = mine.response && mine.response.querySelector("main > search > form[data-live]");
            if (fresh) {
              replace(fresh.parentElement);
              // The step back leads to the list before the search, not through every letter.
              history[hasEntry ? "replaceState" : "pushState"](null, "", url);
              hasEntry = true;
              shown = url;
            } else if (mine.status === 200) {
              // The session has ended.
              location.assign(url);
            }
          });
          request.send();
        };

        box.addEventListener("input", () => {
          clearTimeout(timer);
          timer = setTimeout(ask, pause);
        });
        form.addEventListener("submit", stop);
        addEventListener("popstate", () => { if (place() !== shown) location.reload(); });
      }
    }

    """
}
