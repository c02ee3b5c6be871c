package org.stillwater.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.stillwater.cli.Engine.Parameter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./stillwater events …}. */
@Command(
        name = "events",
        description = "Lists and watches the audit log.",
        synopsisSubcommandLabel = "COMMAND")
final class EventsCommand extends VerbCommand {

    static final List<String> STANDARD = List.of("at", "severity", "event", "text");
    private static final Map<String, String> SHORT_NAMES =
            Map.of("vm", "vmName", "host", "hostName");
    private static final int USUAL = 50;
    private static final int PAGE = 1_000;

    @Command(
            description =
                    "Lists the newest events, the oldest of them first; with --watch, then new"
                            + " ones.")
    int list(@Mixin Connection connection, @Mixin Listing listing) {
        CommandEnvironment here = here();
        boolean watched = listing.watches();
        Engine engine = connection.engine();
        Rows rows =
                new Rows(
                        here.out(),
                        listing.form(),
                        listing.isWhole() ? List.of() : listing.columns(STANDARD, SHORT_NAMES));
        List<Json> listed = newest(engine, listing, listing.limit(USUAL), -1);
        listing.checkColumns(listed, SHORT_NAMES);
        listed.forEach(rows::add);
        rows.show();
        return watched ? watch(engine, here, listing, rows, last(listed, -1)) : 0;
    }

    @Command(description = "The same as list --watch.")
    int watch(@Mixin Connection connection, @Mixin Listing listing) {
        listing.watchToo();
        return list(connection, listing);
    }

    private static int watch(
            Engine engine, CommandEnvironment here, Listing listing, Rows rows, long lastShown) {
        Long until = listing.untilNanos();
        long last = lastShown;
        int left = listing.changes();
        try (Wakes wakes = new Wakes(engine, "/stream?entity=event", here)) {
            while (left > 0 && wakes.await(until)) {
                List<Json> fresh = newest(engine, listing, Integer.MAX_VALUE, last);
                fresh.forEach(rows::add);
                left -= fresh.size();
                last = last(fresh, last);
                rows.show();
                if (here.out().checkError()) {
                    return 0; // the reader has closed the output
                }
            }
        }
        return 0;
    }

    private static long last(List<Json> events, long otherwise) {
        return events.isEmpty() ? otherwise : events.getLast().number("id");
    }

    /**
     * The newest events, the oldest of them first.
     *
     * @param most how many
     * @param after only those with a higher id; all pages until it is found
     */
    private static List<Json> newest(Engine engine, Listing listing, int most, long after) {
        List<Json> found = new ArrayList<>();
        String cursor = "";
        boolean more;
        do {
            List<Parameter> query = new ArrayList<>(listing.filters());
            int size = after < 0 ? most - found.size() : USUAL;
            Json answer = engine.page("/events", query, Math.min(PAGE, size), cursor);
            cursor = answer.get("next").text();
            more = !cursor.isEmpty();
            for (Json event : answer.get("items").list()) {
                if (found.size() < most && event.number("id") > after) {
                    found.addFirst(event);
                } else {
                    more = false;
                }
            }
        } while (more && found.size() < most && (after >= 0 || most < Integer.MAX_VALUE));
        return found;
    }
}
