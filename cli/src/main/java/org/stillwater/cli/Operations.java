package org.stillwater.cli;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stillwater.cli.Rows.Column;
import org.stillwater.cli.Rows.Form;

/**
 * Prints the progress of operations: each step on standard error, each end on standard output. Used
 * once, by one thread.
 */
final class Operations {

    static final List<Column> COLUMNS =
            List.of(
                    Column.of("id"),
                    Column.of("kind"),
                    Column.of("vmName"),
                    Column.of("hostName"),
                    Column.of("state"),
                    new Column("failure", "failure.reason"));

    private final Engine engine;
    private final CommandEnvironment here;
    private final Form form;
    private final Rows rows;
    private final Map<String, String> steps = new HashMap<>();
    private final Set<String> ended = new HashSet<>();
    private boolean failed;

    Operations(Engine engine, CommandEnvironment here, Form form) {
        this.engine = engine;
        this.here = here;
        this.form = form;
        this.rows = new Rows(here.out(), form, form == Form.JSON ? List.of() : COLUMNS);
    }

    /** Nothing was done with an object, and why. */
    void refused(String name, String why) {
        failed = true;
        here.err().println("stillwater: " + Texts.visible(name + ": " + why));
    }

    /** An operation has begun, and is not waited for. */
    void begun(Json operation) {
        if (form == Form.TABLE) {
            here.out()
                    .println(
                            Texts.visible(
                                    "%s: %s %s, operation %s"
                                            .formatted(
                                                    name(operation),
                                                    operation.get("kind").text(),
                                                    operation.get("state").text(),
                                                    operation.get("id").text())));
        } else {
            rows.add(operation);
        }
    }

    /** Prints the steps of an operation until it has ended. */
    void follow(Json operation) {
        update(operation);
        String id = operation.get("id").text();
        until(
                "/operations/" + Texts.encoded(id) + "/events",
                (data, last) -> {
                    update(data);
                    return !last;
                });
    }

    /** Prints the steps of all operations of a batch until all have ended. */
    void followBatch(String id) {
        until(
                "/batches/" + Texts.encoded(id) + "/events",
                (data, last) -> {
                    data.get("items").list().forEach(this::update);
                    return !last;
                });
    }

    private interface Step {
        boolean take(Json data, boolean last);
    }

    private void until(String path, Step step) {
        boolean done =
                engine.events(
                        path,
                        () -> {},
                        (name, data) -> step.take(Json.parse(data), name.equals("end")));
        if (!done) {
            throw new Trouble(
                    Exit.NO_ANSWER,
                    "the engine has ended the stream; the operation goes on: ./stillwater"
                            + " operations list shows it");
        }
    }

    private void update(Json operation) {
        String id = operation.get("id").text();
        boolean isEnd = !operation.get("endedAt").isNull();
        if (!isEnd) {
            String step = operation.get("step").text();
            if (here.interactive() && !step.isEmpty() && !step.equals(steps.put(id, step))) {
                here.err().println(Texts.visible(name(operation) + ": " + step));
            }
            return;
        }
        if (!ended.add(id)) {
            return;
        }
        failed |= !operation.get("state").text().equals("succeeded");
        if (form == Form.TABLE) {
            here.out().println(Texts.visible(sentence(operation)));
            here.out().flush();
        } else {
            rows.add(operation);
        }
    }

    /** {@code web-1: migrate succeeded, on host-0002}. */
    static String sentence(Json operation) {
        StringBuilder sentence =
                new StringBuilder(name(operation))
                        .append(": ")
                        .append(operation.get("kind").text().replace('_', ' '))
                        .append(' ')
                        .append(operation.get("state").text());
        String target = operation.get("targetHostName").text();
        String reason = operation.at("failure.reason").text();
        if (!reason.isEmpty()) {
            sentence.append(": ").append(reason);
        } else if (!target.isEmpty()) {
            sentence.append(", on ").append(target);
        }
        return sentence.toString();
    }

    private static String name(Json operation) {
        for (String member : List.of("vmName", "hostName", "vmId", "hostId", "id")) {
            String name = operation.get(member).text();
            if (!name.isEmpty()) {
                return name;
            }
        }
        return "operation";
    }

    /** The exit code after all of them. */
    int end() {
        if (form != Form.TABLE) {
            rows.show();
        }
        here.out().flush();
        return failed ? Exit.REFUSED : 0;
    }
}
