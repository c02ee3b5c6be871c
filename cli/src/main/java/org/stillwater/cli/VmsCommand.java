package org.stillwater.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.cli.Rows.Form;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./stillwater vms …}. */
@Command(
        name = "vms",
        description = "Lists, watches and commands virtual machines.",
        synopsisSubcommandLabel = "COMMAND")
final class VmsCommand extends VerbCommand {

    static final List<String> STANDARD =
            List.of("name", "status", "host", "cpu", "memory", "guestIps");

    static final Map<String, String> SHORT_NAMES =
            Map.of(
                    "host", "hostName",
                    "cluster", "clusterName",
                    "cpu", "statistics.usageCpuPercent",
                    "memory", "statistics.usageMemoryPercent",
                    "network", "statistics.usageNetworkPercent");

    @Command(description = "Lists VMs; with --watch, then their changes.")
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
                        "/vms",
                        "vm",
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

    @Command(description = "Shows VMs in full, with their statistics.")
    int show(
            @Mixin Connection connection,
            @Parameters(paramLabel = "VM", arity = "1..*", description = "VMs by name or id.")
                    List<String> vms,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORM",
                            defaultValue = "table",
                            description = "table (a line for each member) or json.")
                    Form form) {
        Engine engine = connection.engine();
        List<Json> found = new ArrayList<>();
        for (String vm : vms) {
            String path = "/vms/" + Texts.encoded(vm);
            Map<String, Json> members = new LinkedHashMap<>();
            if (engine.get(path) instanceof Json.Obj(var all)) {
                members.putAll(all);
            }
            members.put("statistics", engine.get(path + "/statistics"));
            found.add(new Json.Obj(members));
        }
        return Client.show(here(), found, form);
    }

    @Command(description = "Explains where the values of VMs come from, and why they are stale.")
    int explain(
            @Mixin Connection connection,
            @Parameters(paramLabel = "VM", arity = "1..*", description = "VMs by name or id.")
                    List<String> vms,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORM",
                            defaultValue = "table",
                            description = "table (sentences) or json.")
                    Form form) {
        Engine engine = connection.engine();
        return ExplainCommand.show(
                here(),
                vms.stream().map(vm -> engine.get(ExplainCommand.path("vms", vm))).toList(),
                form);
    }

    @Command(description = "Starts VMs.")
    int start(
            @Mixin Connection connection,
            @Mixin Acting acting,
            @Option(
                            names = "--host",
                            paramLabel = "HOST",
                            description = "The only host that may run them, by name or id.")
                    @Nullable String host,
            @Option(names = "--paused", description = "Start them paused.") boolean paused) {
        Map<String, Json> body = new LinkedHashMap<>();
        put(body, "host", host);
        if (paused) {
            body.put("paused", new Json.Bool(true));
        }
        return act(connection, acting, "start", body);
    }

    @Command(description = "Asks the guests to shut down.")
    int shutdown(@Mixin Connection connection, @Mixin Acting acting) {
        return act(connection, acting, "shutdown", Map.of());
    }

    @Command(description = "Ends the processes of VMs at once, as if their power failed.")
    int stop(@Mixin Connection connection, @Mixin Acting acting) {
        return act(connection, acting, "stop", Map.of());
    }

    @Command(description = "Asks the guests to restart.")
    int reboot(
            @Mixin Connection connection,
            @Mixin Acting acting,
            @Option(
                            names = "--cold",
                            description =
                                    "End the process too, which applies a changed definition.")
                    boolean cold) {
        return act(
                connection,
                acting,
                "reboot",
                cold ? Map.of("cold", new Json.Bool(true)) : Map.of());
    }

    @Command(description = "Resets VMs like their reset button.")
    int reset(@Mixin Connection connection, @Mixin Acting acting) {
        return act(connection, acting, "reset", Map.of());
    }

    @Command(description = "Pauses VMs.")
    int pause(@Mixin Connection connection, @Mixin Acting acting) {
        return act(connection, acting, "pause", Map.of());
    }

    @Command(description = "Saves the memory of VMs and ends their processes.")
    int suspend(@Mixin Connection connection, @Mixin Acting acting) {
        return act(connection, acting, "suspend", Map.of());
    }

    @Command(description = "Continues paused and suspended VMs.")
    int resume(@Mixin Connection connection, @Mixin Acting acting) {
        return act(connection, acting, "resume", Map.of());
    }

    @Command(description = "Moves running VMs to another host.")
    int migrate(
            @Mixin Connection connection,
            @Mixin Acting acting,
            @Option(
                            names = "--host",
                            paramLabel = "HOST",
                            description = "Their destination (default: where they fit best).")
                    @Nullable String host,
            @Option(names = "--reason", paramLabel = "TEXT", description = "For the event log.")
                    @Nullable String reason) {
        Map<String, Json> body = new LinkedHashMap<>();
        put(body, "host", host);
        put(body, "reason", reason);
        return act(connection, acting, "migrate", body);
    }

    @Command(name = "cancel-migration", description = "Lets VMs stay on their hosts.")
    int cancelMigration(@Mixin Connection connection, @Mixin Acting acting) {
        return act(connection, acting, "cancel-migration", Map.of());
    }

    @Command(description = "Protects VMs from being deleted.")
    int protect(@Mixin Connection connection, @Mixin Acting acting) {
        return acting.actInBatches(connection.engine(), here(), "protect", Json.object(Map.of()));
    }

    @Command(description = "Takes the protection of VMs back.")
    int unprotect(@Mixin Connection connection, @Mixin Acting acting) {
        return acting.actInBatches(connection.engine(), here(), "unprotect", Json.object(Map.of()));
    }

    @Command(description = "Changes the same members of the definitions of VMs.")
    int edit(
            @Mixin Connection connection,
            @Mixin Acting acting,
            @Option(
                            names = "--description",
                            paramLabel = "TEXT",
                            description = "Their description; empty for none.")
                    @Nullable String description,
            @Option(
                            names = "--comment",
                            paramLabel = "TEXT",
                            description = "Their comment; empty for none.")
                    @Nullable String comment,
            @Option(
                            names = "--priority",
                            paramLabel = "NUMBER",
                            description = "0 to 100: VMs with more are started first.")
                    @Nullable Integer priority,
            @Option(
                            names = "--highly-available",
                            paramLabel = "true|false",
                            arity = "1",
                            description = "Whether they are restarted after a failure.")
                    @Nullable Boolean highlyAvailable) {
        Map<String, Json> members = new LinkedHashMap<>();
        put(members, "description", description);
        put(members, "comment", comment);
        if (priority != null) {
            members.put("priority", new Json.Num(priority.toString()));
        }
        if (highlyAvailable != null) {
            members.put("highlyAvailable", new Json.Bool(highlyAvailable));
        }
        return acting.actInBatches(connection.engine(), here(), "edit", Json.object(members));
    }

    @Command(description = "Gives VMs a tag.")
    int tag(@Mixin Connection connection, @Mixin TagOfVms named) {
        return retag(named.tag, named.vms, connection.engine()::put);
    }

    @Command(description = "Takes a tag from VMs.")
    int untag(@Mixin Connection connection, @Mixin TagOfVms named) {
        return retag(named.tag, named.vms, connection.engine()::delete);
    }

    /** A tag, and the VMs that get or lose it. */
    static final class TagOfVms {

        @Parameters(index = "0", paramLabel = "TAG", description = "The tag, by name or id.")
        private String tag = "";

        @Parameters(
                index = "1..*",
                paramLabel = "VM",
                arity = "1..*",
                description = "VMs by name or id.")
        private List<String> vms = List.of();
    }

    /** Prints the tags that each VM has afterwards. */
    private int retag(String tag, List<String> vms, Function<String, Json> change) {
        CommandEnvironment here = here();
        int code = 0;
        for (String vm : new LinkedHashSet<>(vms)) {
            try {
                Json answer =
                        change.apply("/vms/" + Texts.encoded(vm) + "/tags/" + Texts.encoded(tag));
                List<String> tags = new ArrayList<>();
                answer.get("tags").list().forEach(each -> tags.add(each.text()));
                String told = tags.isEmpty() ? "no tags" : String.join(", ", tags);
                here.out().println(Texts.visible(vm + ": " + told));
            } catch (Trouble trouble) {
                if (trouble.exitCode() != Exit.REFUSED) {
                    throw trouble;
                }
                here.err().println("stillwater: " + Texts.visible(vm + ": " + trouble.sentence()));
                code = Exit.REFUSED;
            }
            here.out().flush();
        }
        return code;
    }

    private static void put(Map<String, Json> body, String name, @Nullable String text) {
        if (text != null) {
            body.put(name, Json.of(text));
        }
    }

    private int act(
            Connection connection, Acting acting, String action, Map<String, Json> parameters) {
        return acting.act(connection.engine(), here(), action, Json.object(parameters));
    }
}
