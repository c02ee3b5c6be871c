package org.stillwater.cli;

import java.io.Console;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.cli.Engine.Parameter;
import org.stillwater.cli.Rows.Form;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** On which VMs a command acts, and whether it waits for the end. */
final class Acting {

    private static final int PAGE = 1_000;

    /** VMs of one request, if the engine accepts so many. */
    private static final int MOST_AT_ONCE = 1_000;

    private static final int NAMES_SHOWN = 8;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Parameters(paramLabel = "VM", arity = "0..*", description = "VMs by name or id.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = {"-f", "--filter"},
            paramLabel = "NAME=VALUE",
            description =
                    "In place of names: every VM of which this holds, as in vms list; the command"
                            + " asks before it acts.")
    private List<String> filters = new ArrayList<>();

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask before acting on all that match a filter.")
    private boolean sure;

    @Option(
            names = "--no-wait",
            description = "End when the engine has accepted it, not when it is done.")
    private boolean noWait;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            defaultValue = "table",
            description = "table (a sentence for each), json (an object a line) or csv.")
    private Form form = Form.TABLE;

    /**
     * Acts on the VMs.
     *
     * @param action as it is named in the path of the REST interface
     * @param parameters its body
     */
    int act(Engine engine, CommandEnvironment here, String action, Json parameters) {
        return act(engine, here, action, parameters, true);
    }

    /**
     * Acts on the VMs in batches, also on one.
     *
     * @param action an action that batches only have
     * @param parameters its parameters
     */
    int actInBatches(Engine engine, CommandEnvironment here, String action, Json parameters) {
        return act(engine, here, action, parameters, false);
    }

    private int act(
            Engine engine,
            CommandEnvironment here,
            String action,
            Json parameters,
            boolean hasPath) {
        Map<String, String> names = vms(engine, here, action);
        List<String> vms = List.copyOf(names.keySet());
        Operations operations = new Operations(engine, here, form);
        if (hasPath && vms.size() == 1) {
            one(engine, operations, vms.getFirst(), action, parameters);
        } else {
            int most = vms.size() == 1 ? 1 : mostAtOnce(engine);
            for (int from = 0; from < vms.size(); from += most) {
                int to = Math.min(from + most, vms.size());
                many(engine, operations, vms.subList(from, to), names, action, parameters);
            }
        }
        return operations.end();
    }

    /** The limit of the engine for one batch is a setting of it. */
    private static int mostAtOnce(Engine engine) {
        return engine.get("/me").get("mostInBatch") instanceof Json.Num(String most)
                ? Math.clamp(Long.parseLong(most), 1, MOST_AT_ONCE)
                : MOST_AT_ONCE;
    }

    private void one(
            Engine engine, Operations operations, String vm, String action, Json parameters) {
        Json operation = engine.post("/vms/" + Texts.encoded(vm) + "/" + action, parameters);
        if (noWait) {
            operations.begun(operation);
        } else {
            operations.follow(operation);
        }
    }

    private void many(
            Engine engine,
            Operations operations,
            List<String> vms,
            Map<String, String> names,
            String action,
            Json parameters) {
        Map<String, Json> body = new LinkedHashMap<>();
        body.put("action", Json.of(action));
        body.put("vms", new Json.Array(vms.stream().map(Json::of).toList()));
        body.put("parameters", parameters);
        Json begun = engine.post("/vms:batch", new Json.Obj(body));
        List<Json> items = begun.get("items").list();
        for (int i = 0; i < items.size(); i++) {
            Json problem = items.get(i).get("problem");
            Json operation = items.get(i).get("operation");
            if (!problem.isNull()) {
                String vm = vms.get(i);
                operations.refused(names.getOrDefault(vm, vm), problem.get("detail").text());
            } else if (noWait) {
                operations.begun(operation);
            }
        }
        if (!noWait && !begun.get("id").isNull()) {
            operations.followBatch(begun.get("id").text());
        }
    }

    /** Names of the VMs by what the engine is asked with: their ids, or the given names. */
    private Map<String, String> vms(Engine engine, CommandEnvironment here, String action) {
        if (names.isEmpty() == filters.isEmpty()) {
            throw wrong(
                    names.isEmpty()
                            ? "which VMs? Give names or ids, or --filter"
                            : "--filter takes the place of names; give one of them");
        }
        if (!names.isEmpty()) {
            Map<String, String> given = new LinkedHashMap<>();
            names.forEach(name -> given.put(name, name));
            return given;
        }
        Map<String, String> found = matching(engine);
        if (found.isEmpty()) {
            throw new Trouble(Exit.REFUSED, "no VM matches " + String.join(" ", filters));
        }
        if (!sure && !confirmed(here, action, List.copyOf(found.values()))) {
            throw new Trouble(Exit.REFUSED, "no operation was started");
        }
        return found;
    }

    /** Names of the VMs that match, by id. */
    private Map<String, String> matching(Engine engine) {
        Map<String, String> found = new LinkedHashMap<>();
        String cursor = "";
        do {
            List<Parameter> query = new ArrayList<>();
            for (String filter : filters) {
                int end = filter.indexOf('=');
                if (end < 1) {
                    throw wrong("--filter is a name and a value, such as status=up, not " + filter);
                }
                query.add(
                        new Parameter(filter.substring(0, end).strip(), filter.substring(end + 1)));
            }
            query.add(new Parameter("fields", "id,name"));
            Json answer = engine.page("/vms", query, PAGE, cursor);
            answer.get("items")
                    .list()
                    .forEach(item -> found.put(item.get("id").text(), item.get("name").text()));
            cursor = answer.get("next").text();
        } while (!cursor.isEmpty());
        return found;
    }

    private boolean confirmed(CommandEnvironment here, String action, List<String> matching) {
        Console console = CommandEnvironment.terminal();
        if (console == null) {
            throw wrong(
                    "%s: give --yes for %s without a question"
                            .formatted(
                                    matching.size() == 1
                                            ? "1 VM matches"
                                            : matching.size() + " VMs match",
                                    action));
        }
        String names =
                matching.stream()
                        .limit(NAMES_SHOWN)
                        .map(Texts::visible)
                        .collect(Collectors.joining(", "));
        here.out().flush();
        String answer =
                console.readLine(
                        "%s %s (%s%s)? [y/N] ",
                        action,
                        Texts.counted(Integer.toString(matching.size()), "VM"),
                        names,
                        matching.size() > NAMES_SHOWN ? ", …" : "");
        return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    }

    private ParameterException wrong(String message) {
        if (command == null) {
            throw new IllegalStateException("not a part of a command");
        }
        return new ParameterException(command.commandLine(), message);
    }
}
