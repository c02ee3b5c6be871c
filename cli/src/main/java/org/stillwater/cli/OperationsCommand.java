package org.stillwater.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.cli.Engine.Parameter;
import org.stillwater.cli.Rows.Form;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./stillwater operations …}. */
@Command(
        name = "operations",
        description = "Lists, follows and cancels operations.",
        synopsisSubcommandLabel = "COMMAND")
final class OperationsCommand extends VerbCommand {

    static final List<String> STANDARD =
            List.of("id", "kind", "vm", "state", "progress", "step", "createdAt");

    private static final Map<String, String> SHORT_NAMES =
            Map.of("vm", "vmName", "host", "hostName", "target", "targetHostName");
    private static final int USUAL = 50;
    private static final int PAGE = 1_000;

    /** While an operation is open: its steps are no events of the stream. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    @Command(
            description =
                    "Lists the newest operations, the oldest of them first; with --watch, then each"
                            + " step.")
    int list(@Mixin Connection connection, @Mixin Listing listing) {
        CommandEnvironment here = here();
        boolean watched = listing.watches();
        Engine engine = connection.engine();
        Rows rows =
                new Rows(
                        here.out(),
                        listing.form(),
                        listing.isWhole() ? List.of() : listing.columns(STANDARD, SHORT_NAMES));
        Map<String, String> shown = new HashMap<>();
        int most = listing.limit(USUAL);
        List<Json> known = newest(engine, listing, watched ? Math.max(most, PAGE) : most);
        listing.checkColumns(known, SHORT_NAMES);
        int older = Math.max(0, known.size() - most);
        // A watch knows older operations too: they are news when they change, and not before.
        known.subList(0, older).forEach(each -> shown.put(each.get("id").text(), progress(each)));
        print(known.subList(older, known.size()), rows, shown);
        return watched ? watch(engine, here, listing, rows, shown) : 0;
    }

    private static int watch(
            Engine engine,
            CommandEnvironment here,
            Listing listing,
            Rows rows,
            Map<String, String> shown) {
        Long until = listing.untilNanos();
        int left = listing.changes();
        boolean open = true;
        try (Wakes wakes = new Wakes(engine, "/stream?entity=event", here)) {
            while (left > 0) {
                Long look = open ? (Long) (System.nanoTime() + LOOK.toNanos()) : until;
                if (look != null && until != null && until - look < 0) {
                    look = until;
                }
                boolean woken = wakes.await(look);
                if (!woken && until != null && until - System.nanoTime() <= 0) {
                    return 0;
                }
                List<Json> newest = newest(engine, listing, PAGE);
                open = newest.stream().anyMatch(each -> each.get("endedAt").isNull());
                left -= print(newest, rows, shown);
                shown.keySet()
                        .retainAll(
                                newest.stream()
                                        .map(each -> each.get("id").text())
                                        .collect(Collectors.toSet()));
                if (here.out().checkError()) {
                    return 0; // the reader has closed the output
                }
            }
        }
        return 0;
    }

    /** Prints those that are not shown as they are; returns how many. */
    private static int print(List<Json> operations, Rows rows, Map<String, String> shown) {
        int printed = 0;
        for (Json each : operations) {
            String state = progress(each);
            if (!state.equals(shown.put(each.get("id").text(), state))) {
                rows.add(each);
                printed++;
            }
        }
        rows.show();
        return printed;
    }

    /** All that changes of an operation. */
    private static String progress(Json operation) {
        return operation.get("state").text()
                + operation.get("step").text()
                + operation.get("progress").text();
    }

    private static List<Json> newest(Engine engine, Listing listing, int most) {
        List<Json> found = new ArrayList<>();
        String cursor = "";
        do {
            List<Parameter> query = new ArrayList<>(listing.filters());
            Json answer =
                    engine.page("/operations", query, Math.min(PAGE, most - found.size()), cursor);
            answer.get("items").list().forEach(found::addFirst);
            cursor = answer.get("next").text();
        } while (!cursor.isEmpty() && found.size() < most);
        return found;
    }

    @Command(description = "Shows operations in full.")
    int show(
            @Mixin Connection connection,
            @Parameters(paramLabel = "ID", arity = "1..*", description = "Ids of operations.")
                    List<String> ids,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORM",
                            defaultValue = "table",
                            description = "table (a line for each member) or json.")
                    Form form) {
        Engine engine = connection.engine();
        List<Json> found = new ArrayList<>();
        for (String id : ids) {
            found.add(engine.get("/operations/" + Texts.encoded(id)));
        }
        return Client.show(here(), found, form);
    }

    @Command(description = "Follows operations until they have ended; without ids, all.")
    int watch(
            @Mixin Connection connection,
            @Mixin Listing listing,
            @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of operations.")
                    @Nullable List<String> ids) {
        if (ids == null || ids.isEmpty()) {
            listing.watchToo();
            return list(connection, listing);
        }
        Engine engine = connection.engine();
        Operations operations = new Operations(engine, here(), listing.form());
        for (String id : ids) {
            operations.follow(engine.get("/operations/" + Texts.encoded(id)));
        }
        return operations.end();
    }

    @Command(description = "Cancels operations that can still be cancelled.")
    int cancel(
            @Mixin Connection connection,
            @Parameters(paramLabel = "ID", arity = "1..*", description = "Ids of operations.")
                    List<String> ids,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORM",
                            defaultValue = "table",
                            description = "table (a sentence for each), json or csv.")
                    Form form) {
        Engine engine = connection.engine();
        Operations operations = new Operations(engine, here(), form);
        for (String id : ids) {
            operations.begun(
                    engine.post(
                            "/operations/" + Texts.encoded(id) + "/cancel", Json.object(Map.of())));
        }
        return operations.end();
    }
}
