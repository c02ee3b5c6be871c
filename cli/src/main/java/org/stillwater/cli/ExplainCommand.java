package org.stillwater.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.cli.Rows.Form;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./stillwater explain …}. */
@Command(
        name = "explain",
        description =
                "Explains where the values of VMs and hosts come from: by which report, how old"
                        + " they are, and why they are stale; with --at, the state assumed then.")
final class ExplainCommand implements Callable<Integer> {

    /** Members that a line names; more are counted. */
    private static final int VALUES_SHOWN = 6;

    @Spec private @Nullable CommandSpec spec;

    @Mixin private Connection connection = new Connection();

    @Parameters(
            paramLabel = "NAME",
            arity = "1..*",
            description = "VMs by name or id; a name that no VM has is that of a host.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--host", description = "The names are those of hosts.")
    private boolean hosts;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Such as 2026-11-20T03:12:00Z: the state assumed then, and its reason.")
    private @Nullable String at;

    @Option(
            names = {"-t", "--transitions"},
            description = "The last transitions of status and host, with the rule that decided.")
    private boolean transitions;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            defaultValue = "table",
            description = "table (sentences) or json.")
    private Form form = Form.TABLE;

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("not a command");
        }
        CommandEnvironment here = CommandEnvironment.of(spec);
        Engine engine = connection.engine();
        List<Json> found = new ArrayList<>();
        boolean past = transitions || at != null;
        String query =
                at == null
                        ? (transitions ? "/beliefs" : "/explain")
                        : Engine.path("/beliefs", List.of(new Engine.Parameter("at", at)));
        for (String name : names) {
            found.add(
                    hosts
                            ? engine.get("/hosts/" + Texts.encoded(name) + query)
                            : either(engine, Texts.encoded(name) + query));
        }
        return past ? showPast(here, found, form) : show(here, found, form);
    }

    private static Json either(Engine engine, String path) {
        try {
            return engine.get("/vms/" + path);
        } catch (Trouble.Missing noVm) {
            try {
                return engine.get("/hosts/" + path);
            } catch (Trouble.Missing noHost) {
                throw new Trouble(
                        noHost.exitCode(), noVm.sentence() + " " + noHost.sentence(), noHost);
            }
        }
    }

    static String path(String kind, String name) {
        return "/" + kind + "/" + Texts.encoded(name) + "/explain";
    }

    /** Prints explanations. */
    static int show(CommandEnvironment here, List<Json> explanations, Form form) {
        if (form != Form.TABLE) {
            return Client.show(here, explanations, form);
        }
        for (int i = 0; i < explanations.size(); i++) {
            if (i > 0) {
                here.out().println();
            }
            print(here.out(), explanations.get(i));
        }
        return 0;
    }

    private static int showPast(CommandEnvironment here, List<Json> all, Form form) {
        if (form != Form.TABLE) {
            return Client.show(here, all, form);
        }
        for (int i = 0; i < all.size(); i++) {
            if (i > 0) {
                here.out().println();
            }
            Json past = all.get(i);
            Json vm = past.get("vmName");
            line(
                    here.out(),
                    (vm.isNull() ? "Host " + past.get("hostName").text() : "VM " + vm.text())
                            + ". "
                            + past.get("text").text());
            for (Json belief : past.get("items").list()) {
                here.out().println();
                printBelief(here.out(), belief);
            }
            if (!past.get("missing").isNull()) {
                here.out().println();
                line(here.out(), past.get("missing").text());
            }
        }
        return 0;
    }

    private static void printBelief(PrintWriter out, Json belief) {
        String host = belief.get("hostName").text();
        String scenario = belief.get("scenario").text();
        String reporter = belief.get("reporterName").text();
        line(
                out,
                belief.get("at").text()
                        + "  "
                        + belief.get("before").text()
                        + " -> "
                        + belief.get("status").text()
                        + (host.isEmpty() ? "" : " on " + host));
        line(
                out,
                "  by "
                        + belief.get("cause").text()
                        + (reporter.isEmpty() ? "" : " of " + reporter)
                        + ", received "
                        + belief.get("receivedAt").text());
        line(
                out,
                "  because "
                        + belief.get("because").text()
                        + " ("
                        + (scenario.isEmpty() ? "" : scenario + ", ")
                        + belief.get("rule").text()
                        + ")");
        List<Json> decided = belief.get("decided").list();
        if (!decided.isEmpty()) {
            line(out, "  then " + String.join(", ", decided.stream().map(Json::text).toList()));
        }
    }

    private static void print(PrintWriter out, Json explained) {
        Json vm = explained.get("vmName");
        String host = explained.get("hostName").text();
        String status = explained.get("status").text();
        line(
                out,
                vm.isNull()
                        ? "Host " + host + " is " + status + "."
                        : "VM "
                                + vm.text()
                                + " is "
                                + status
                                + (host.isEmpty() ? "." : " on host " + host + "."));
        line(out, explained.get("text").text());
        for (Json group : explained.get("items").list()) {
            out.println();
            Json age = group.get("ageSeconds");
            line(
                    out,
                    group.get("group").text()
                            + values(group.get("values").list())
                            + (age.isNull() ? "" : ", " + age.text() + " s old")
                            + (group.get("stale").isTrue() ? ", STALE" : ""));
            line(out, "  " + group.get("text").text());
            for (Json delay : group.get("delays").list()) {
                line(
                        out,
                        "  "
                                + delay.get("code").text()
                                + "; fresh when: "
                                + delay.get("remedy").text());
            }
        }
    }

    private static String values(List<Json> names) {
        if (names.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(": ");
        for (int i = 0; i < Math.min(VALUES_SHOWN, names.size()); i++) {
            text.append(i == 0 ? "" : ", ").append(names.get(i).text());
        }
        int more = names.size() - VALUES_SHOWN;
        return more > 0 ? text + " and " + more + " more" : text.toString();
    }

    private static void line(PrintWriter out, String text) {
        out.println(Texts.visible(text));
    }
}
