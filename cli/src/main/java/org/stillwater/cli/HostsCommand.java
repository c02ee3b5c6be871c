package org.stillwater.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.cli.Engine.Parameter;
import org.stillwater.cli.Rows.Form;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./stillwater hosts …}. */
@Command(
        name = "hosts",
        description = "Lists and watches hosts, and takes them out of service and back.",
        synopsisSubcommandLabel = "COMMAND")
final class HostsCommand extends VerbCommand {

    static final List<String> STANDARD =
            List.of("name", "status", "address", "vms", "cpu", "memory", "reason");

    static final Map<String, String> SHORT_NAMES =
            Map.of(
                    "cluster", "clusterName",
                    "cpu", "usage.cpuPercent",
                    "memory", "usage.memoryPercent",
                    "network", "usage.networkPercent");

    private static final String LEAVING = "preparing_for_maintenance";

    @Command(description = "Lists hosts; with --watch, then their changes.")
    int list(
            @Mixin Connection connection,
            @Mixin Listing listing,
            @Option(
                            names = {"-s", "--order"},
                            paramLabel = "KEY,…",
                            description =
                                    "Sort keys; a minus reverses one: -cpu,name (default: name).")
                    @Nullable String order) {
        return new FeedList(
                        connection.engine(),
                        here(),
                        listing,
                        "/hosts",
                        "host",
                        STANDARD,
                        SHORT_NAMES,
                        order)
                .run();
    }

    @Command(description = "The same as list --watch.")
    int watch(@Mixin Connection connection, @Mixin Listing listing) {
        listing.watchToo();
        return list(connection, listing, null);
    }

    @Command(description = "Shows hosts in full.")
    int show(
            @Mixin Connection connection,
            @Parameters(paramLabel = "HOST", arity = "1..*", description = "Hosts by name or id.")
                    List<String> hosts,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORM",
                            defaultValue = "table",
                            description = "table (a line for each member) or json.")
                    Form form) {
        Engine engine = connection.engine();
        List<Json> found = new ArrayList<>();
        for (String host : hosts) {
            found.add(engine.get("/hosts/" + Texts.encoded(host)));
        }
        return Client.show(here(), found, form);
    }

    @Command(description = "Explains where the values of hosts come from, and why they are stale.")
    int explain(
            @Mixin Connection connection,
            @Parameters(paramLabel = "HOST", arity = "1..*", description = "Hosts by name or id.")
                    List<String> hosts,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORM",
                            defaultValue = "table",
                            description = "table (sentences) or json.")
                    Form form) {
        Engine engine = connection.engine();
        return ExplainCommand.show(
                here(),
                hosts.stream().map(host -> engine.get(ExplainCommand.path("hosts", host))).toList(),
                form);
    }

    @Command(description = "Lists hosts in trouble, with the reason.")
    int health(@Mixin Connection connection, @Mixin Listing listing) {
        CommandEnvironment here = here();
        Json answer = connection.engine().get(Engine.path("/health/hosts", listing.filters()));
        Rows rows =
                new Rows(
                        here.out(),
                        listing.form(),
                        listing.isWhole()
                                ? List.of()
                                : listing.columns(
                                        List.of("name", "condition", "status", "since", "why"),
                                        Map.of()));
        answer.get("items").list().forEach(rows::add);
        rows.show();
        return 0;
    }

    @Command(
            aliases = "drain",
            description = "Takes hosts out of service: their VMs move to others first.")
    int maintenance(
            @Mixin Connection connection,
            @Parameters(paramLabel = "HOST", arity = "1..*", description = "Hosts by name or id.")
                    List<String> hosts,
            @Option(names = "--reason", paramLabel = "TEXT", description = "For the event log.")
                    @Nullable String reason,
            @Option(names = "--no-wait", description = "Do not wait until the VMs have left.")
                    boolean noWait) {
        return order(
                connection,
                hosts,
                "maintenance",
                reason == null ? Map.of() : Map.of("reason", Json.of(reason)),
                noWait);
    }

    @Command(description = "Brings hosts back into service.")
    int activate(
            @Mixin Connection connection,
            @Parameters(paramLabel = "HOST", arity = "1..*", description = "Hosts by name or id.")
                    List<String> hosts) {
        return order(connection, hosts, "activate", Map.of(), true);
    }

    @Command(description = "Asks hosts for the state of all their VMs now.")
    int refresh(
            @Mixin Connection connection,
            @Parameters(paramLabel = "HOST", arity = "1..*", description = "Hosts by name or id.")
                    List<String> hosts) {
        return order(connection, hosts, "refresh", Map.of(), true);
    }

    private int order(
            Connection connection,
            List<String> hosts,
            String order,
            Map<String, Json> body,
            boolean noWait) {
        CommandEnvironment here = here();
        Engine engine = connection.engine();
        Set<String> leaving = new LinkedHashSet<>();
        int code = 0;
        for (String host : new LinkedHashSet<>(hosts)) {
            try {
                Json answer =
                        engine.post(
                                "/hosts/" + Texts.encoded(host) + "/" + order, Json.object(body));
                String status = answer.get("status").text();
                if (!noWait && status.equals(LEAVING)) {
                    leaving.add(answer.get("id").text());
                } else {
                    here.out()
                            .println(
                                    Texts.visible(
                                            host + ": " + (status.isEmpty() ? order : status)));
                }
            } catch (Trouble trouble) {
                if (trouble.exitCode() != Exit.REFUSED) {
                    throw trouble;
                }
                here.err()
                        .println("stillwater: " + Texts.visible(host + ": " + trouble.sentence()));
                code = Exit.REFUSED;
            }
            here.out().flush();
        }
        return leaving.isEmpty() || drained(engine, here, leaving) ? code : Exit.REFUSED;
    }

    /** Waits until all VMs of the hosts have left; returns whether they all have. */
    private static boolean drained(Engine engine, CommandEnvironment here, Set<String> leaving) {
        boolean all = true;
        try (Wakes wakes = new Wakes(engine, "/stream?entity=host", here)) {
            while (!leaving.isEmpty() && wakes.await(null)) {
                List<Parameter> query =
                        List.of(
                                new Parameter("id", String.join(",", leaving)),
                                new Parameter("fields", "id,name,status,vms"));
                Set<String> there = new LinkedHashSet<>();
                for (Json host : engine.get(Engine.path("/hosts", query)).get("items").list()) {
                    String id = host.get("id").text();
                    String name = Texts.visible(host.get("name").text());
                    String status = host.get("status").text();
                    there.add(id);
                    if (!status.equals(LEAVING)) {
                        boolean done = status.equals("maintenance");
                        all &= done;
                        leaving.remove(id);
                        (done ? here.out() : here.err()).println(name + ": " + status);
                        here.out().flush();
                    } else if (here.interactive()) {
                        here.err().println(name + ": " + host.get("vms").text() + " VMs left");
                    }
                }
                all &= there.containsAll(leaving);
                leaving.retainAll(there);
            }
        }
        return all;
    }
}
