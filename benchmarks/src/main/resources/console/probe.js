// The measurements of bench console on the page itself. It runs before the console's own scripts, and
// every wait of it ends with a frame: its times are those that a user sees.
(() => {
  const EXPECTED = /*vms*/ 0;
  const PATIENCE_MILLIS = 10000;
  const SCROLL_PIXELS = 12; // a frame: about 700 pixels a second
  const TURN_FRAMES = 600;
  const probe = { firstRows: 0, allRows: 0, pending: null };
  window.stillwaterProbe = probe;

  const number = text => Number(text.replace(/\D/g, ''));
  const grid = () => document.querySelector('.grid');

  const hasRows = () => document.querySelector('.grid-row:not([hidden]):not(.unknown)') !== null;
  const hasAll = () => document.querySelector('#link[data-state=live]') !== null
    && number(document.querySelector('#search-hint')?.textContent ?? '') === EXPECTED;
  // Looks once in a frame, and only where the document has changed: a look in each frame would make the page draw all of them.
  let looking = false;
  const observer = new MutationObserver(() => {
    if (looking) return;
    looking = true;
    requestAnimationFrame(() => {
      looking = false;
      if (probe.firstRows === 0 && hasRows()) probe.firstRows = performance.now();
      if (hasAll()) {
        probe.allRows = performance.now();
        observer.disconnect();
      }
    });
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });

  // Intervals between frames, while the list scrolls down and up.
  probe.frames = millis => {
    probe.pending = new Promise(done => {
      const frames = [];
      let last = 0;
      let begin = 0;
      const frame = now => {
        if (last !== 0) frames.push(now - last);
        begin ||= now;
        last = now;
        if (now - begin > millis) {
          done(frames);
          return;
        }
        grid().scrollTop += Math.floor(frames.length / TURN_FRAMES) % 2 === 0 ? SCROLL_PIXELS : -SCROLL_PIXELS;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
  };

  // From an event of the user to the frame in which `changed` holds; -1 if that never comes.
  const await_ = (event, observed, options, changed) => {
    probe.pending = new Promise(done => {
      let begin = 0;
      addEventListener(event, each => { begin ||= each.timeStamp; }, { once: true, capture: true });
      const observer = new MutationObserver(() => {
        if (begin === 0 || !changed()) return;
        observer.disconnect();
        requestAnimationFrame(() => done(performance.now() - begin));
      });
      observer.observe(observed, options);
      setTimeout(() => {
        observer.disconnect();
        done(-1);
      }, PATIENCE_MILLIS);
    });
  };
  probe.keystroke = () => {
    await_('keydown', grid(), { attributes: true, attributeFilter: ['aria-rowcount'] }, () => true);
  };
  probe.sort = () => {
    const first = () => document.querySelector('#row-0 .column-name')?.textContent || null;
    const before = first();
    await_('click', grid(), { childList: true, subtree: true, characterData: true }, () => first() !== null && first() !== before);
  };
  // Where the middle of an element is once there is one; null if there is none in ten seconds.
  const place = find => new Promise(done => {
    const deadline = performance.now() + PATIENCE_MILLIS;
    const look = () => {
      const element = find();
      if (element) {
        const box = element.getBoundingClientRect();
        done({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
      } else if (performance.now() > deadline) {
        done(null);
      } else {
        requestAnimationFrame(look);
      }
    };
    look();
  });
  const status = () => document.querySelector('#row-0 .column-status');
  probe.search = words => {
    const field = document.querySelector('#search');
    field.value = words;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.blur();
  };
  // The status of the only row, once it is that of the VM.
  probe.found = name => place(() => (
    grid().getAttribute('aria-rowcount') === '2' && document.querySelector('#row-0 .column-name')?.textContent === name ? status() : null
  ));
  probe.startButton = () => place(() => (
    document.querySelector('#row-0[aria-selected=true]') && [...document.querySelectorAll('.actions button.action:enabled')].find(each => each.textContent === 'Start')
  ));
  probe.confirmButton = () => place(() => document.querySelector('dialog[open] button.primary:enabled'));
  probe.start = () => {
    const before = status().textContent;
    await_('click', grid(), { childList: true, subtree: true, characterData: true }, () => status() !== null && status().textContent !== before);
  };
  // Batches that have ended take no room on the screen.
  probe.dismiss = () => {
    for (const each of document.querySelectorAll('.job button')) if (each.textContent === 'Dismiss') each.click();
  };
  probe.top = () => {
    grid().scrollTop = 0;
  };
  // The middle of a column's title.
  probe.title = column => {
    const box = document.querySelector(`.grid-head .column-${column} button`).getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  // The requests of the load: name, and milliseconds of begin, first byte and end.
  probe.requests = () =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .map(each => [new URL(each.name).pathname, each.startTime, each.responseStart, each.responseEnd]);
  // Compressed bytes of the scripts and styles that were loaded.
  probe.loadedBytes = () =>
    performance.getEntriesByType('resource')
      .filter(each => /\.(js|css)$/.test(new URL(each.name).pathname))
      .map(each => [new URL(each.name).pathname, each.encodedBodySize]);
})();
