package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.stillwater.benchmarks.scale.Figures.Spread;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;

/**
 * Prints the figures of one or more runs of the same plan: a table for people, JSON for programs.
 */
public final class Report {

    /** Lines of a group of the profile in the table; the file has all. */
    private static final int MOST_LINES = 12;

    private final StablePlan plan;
    private final Machine machine;
    private final Origin origin;
    private final List<Figures> runs;
    private final List<RunProfile> profiles;

    public Report(StablePlan plan, Machine machine, Origin origin, List<Figures> runs) {
        this(plan, machine, origin, runs, List.of());
    }

    /**
     * A report with the engine's profiles of itself.
     *
     * @param profiles of the runs, in their order; empty without
     */
    public Report(
            StablePlan plan,
            Machine machine,
            Origin origin,
            List<Figures> runs,
            List<RunProfile> profiles) {
        this.profiles = List.copyOf(profiles);
        this.plan = plan;
        this.machine = machine;
        this.origin = origin;
        this.runs = List.copyOf(runs);
    }

    /**
     * Origin of figures: the measured commit and the command.
     *
     * @param commit the commit of the checkout, {@code -dirty} behind it where files differ from
     *     it, {@code unknown} where there is no git
     * @param command the arguments after {@code ./stillwater bench}
     */
    public record Origin(String commit, String command) {}

    /** The table: the median of the runs, and their range if there is more than one. */
    public String table() {
        StringBuilder out = new StringBuilder();
        out.append(
                String.format(
                        Locale.ROOT,
                        "%n%d VMs on %d hosts, %d cycles of %s after %d left out, %s, %s reports%s;"
                                + " %d run(s) on %s%n%n",
                        plan.vms(),
                        plan.hosts(),
                        plan.cycles(),
                        seconds(),
                        plan.warmupCycles(),
                        plan.tls() ? "TLS" : "plain TCP",
                        plan.reportSize().option(),
                        relays(),
                        runs.size(),
                        machine.describe()));
        for (String name : runs.getFirst().numbers().keySet()) {
            line(out, name, spread(run -> run.numbers().get(name)));
        }
        Spread cycle =
                new Spread(
                        spread(run -> run.cpuByCycle().min()).min(),
                        spread(run -> run.cpuByCycle().median()).median(),
                        spread(run -> run.cpuByCycle().max()).max());
        out.append(
                String.format(
                        Locale.ROOT,
                        "%-34s %12s  (single cycles: %s to %s)%n",
                        "cpuMillisPerVmCycle, middle cycle",
                        number(cycle.median()),
                        number(cycle.min()),
                        number(cycle.max())));
        if (runs.getFirst().eventsSent() > 0) {
            out.append(
                    String.format(
                            Locale.ROOT, "%n%-34s %12s %12s %12s%n", "", "p50", "p99", "max"));
            for (String name : runs.getFirst().latencies().keySet()) {
                out.append(
                        String.format(
                                Locale.ROOT,
                                "%-34s %12s %12s %12s  (%d events)%n",
                                name,
                                number(spread(run -> latency(run, name).p50()).median()),
                                number(spread(run -> latency(run, name).p99()).median()),
                                number(spread(run -> latency(run, name).max()).max()),
                                runs.stream().mapToInt(run -> latency(run, name).count()).sum()));
            }
        }
        if (!profiles.isEmpty()) {
            for (String group : profiles.getFirst().groups().keySet()) {
                out.append(String.format(Locale.ROOT, "%n%s%n", group));
                RunProfile.names(group, profiles.stream()).stream()
                        .sorted(
                                Comparator.comparingDouble(
                                                (String name) -> profile(group, name).median())
                                        .reversed())
                        .limit(MOST_LINES)
                        .forEach(name -> line(out, "  " + name, profile(group, name)));
            }
        }
        return out.toString();
    }

    private Spread profile(String group, String name) {
        return Spread.of(profiles.stream().mapToDouble(each -> each.figure(group, name)).toArray());
    }

    private void line(StringBuilder out, String name, Spread spread) {
        out.append(
                runs.size() == 1
                        ? String.format(Locale.ROOT, "%-34s %12s%n", name, number(spread.median()))
                        : String.format(
                                Locale.ROOT,
                                "%-34s %12s  (%s to %s)%n",
                                name,
                                number(spread.median()),
                                number(spread.min()),
                                number(spread.max())));
    }

    /**
     * The JSON object: medians of the runs by name, their ranges under {@code spread}, the runs.
     */
    public void writeJson(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        try (var out = Files.newBufferedWriter(file);
                JsonGenerator json =
                        JsonFactory.builder()
                                .build()
                                .createGenerator(
                                        new ObjectWriteContext.Base() {
                                            @Override
                                            public tools.jackson.core.PrettyPrinter
                                                    getPrettyPrinter() {
                                                return new DefaultPrettyPrinter();
                                            }

                                            @Override
                                            public boolean hasPrettyPrinter() {
                                                return true;
                                            }
                                        },
                                        out)) {
            json.writeStartObject();
            json.writeStringProperty("scenario", "stable");
            json.writeStringProperty("commit", origin.commit());
            json.writeStringProperty("command", "./stillwater bench " + origin.command());
            writePlan(json);
            writeMedians(json);
            json.writeName("spread");
            json.writeStartObject();
            for (String name : runs.getFirst().numbers().keySet()) {
                json.writeName(name);
                writeSpread(json, spread(run -> run.numbers().get(name)));
            }
            json.writeEndObject();
            writeProfile(json);
            json.writeName("runs");
            json.writeStartArray();
            for (Figures run : runs) {
                json.writeStartObject();
                run.numbers().forEach((name, value) -> writeNumber(json, name, value));
                json.writeName("cpuMillisPerVmCycleByCycle");
                writeSpread(json, run.cpuByCycle());
                run.latencies().forEach((name, value) -> writeLatency(json, name, value));
                json.writeNumberProperty("eventsSent", run.eventsSent());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private void writeProfile(JsonGenerator json) {
        if (profiles.isEmpty()) {
            return;
        }
        json.writeName("profile");
        json.writeStartObject();
        for (String group : profiles.getFirst().groups().keySet()) {
            json.writeName(group);
            json.writeStartObject();
            for (String name : RunProfile.names(group, profiles.stream())) {
                json.writeName(name);
                writeSpread(json, profile(group, name));
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private void writePlan(JsonGenerator json) {
        json.writeNumberProperty("vms", plan.vms());
        json.writeNumberProperty("hosts", plan.hosts());
        json.writeNumberProperty("cycles", plan.cycles());
        json.writeNumberProperty("warmupCycles", plan.warmupCycles());
        writeNumber(json, "intervalSeconds", plan.interval().toMillis() / 1000.0);
        json.writeBooleanProperty("tls", plan.tls());
        json.writeStringProperty("reportSize", plan.reportSize().option());
        json.writeStringProperty("engineHeap", plan.engineHeap());
        json.writeNumberProperty("eventsPerSecond", plan.eventsPerSecond());
        StablePlan.Relays relays = plan.relays();
        if (relays != null) {
            json.writeNumberProperty("relays", relays.count());
            writeNumber(json, "moving", relays.moving());
        }
        json.writeStringProperty("machine", machine.describe());
    }

    private void writeMedians(JsonGenerator json) {
        for (String name : runs.getFirst().numbers().keySet()) {
            writeNumber(json, name, spread(run -> run.numbers().get(name)).median());
        }
        for (String name : runs.getFirst().latencies().keySet()) {
            writeLatency(
                    json,
                    name,
                    new Distribution(
                            runs.stream().mapToInt(run -> latency(run, name).count()).sum(),
                            spread(run -> latency(run, name).p50()).median(),
                            spread(run -> latency(run, name).p99()).median(),
                            spread(run -> latency(run, name).max()).max()));
        }
    }

    private static Distribution latency(Figures run, String name) {
        return run.latencies().getOrDefault(name, Distribution.NONE);
    }

    private static void writeLatency(JsonGenerator json, String name, Distribution value) {
        json.writeName(name);
        json.writeStartObject();
        json.writeNumberProperty("count", value.count());
        writeNumber(json, "p50", value.p50());
        writeNumber(json, "p99", value.p99());
        writeNumber(json, "max", value.max());
        json.writeEndObject();
    }

    private static void writeSpread(JsonGenerator json, Spread spread) {
        json.writeStartObject();
        writeNumber(json, "min", spread.min());
        writeNumber(json, "median", spread.median());
        writeNumber(json, "max", spread.max());
        json.writeEndObject();
    }

    /** JSON has no NaN: a missing figure is null. */
    private static void writeNumber(JsonGenerator json, String name, double value) {
        if (Double.isFinite(value)) {
            json.writeNumberProperty(name, rounded(value));
        } else {
            json.writeNullProperty(name);
        }
    }

    private Spread spread(ToDoubleFunction<Figures> figure) {
        return Spread.of(runs.stream().mapToDouble(figure).toArray());
    }

    private String relays() {
        StablePlan.Relays relays = plan.relays();
        return relays == null
                ? ""
                : " by %d relays, %s of the VMs moving".formatted(relays.count(), relays.moving());
    }

    private String seconds() {
        return plan.interval().toMillis() / 1000.0 + " s";
    }

    private static double rounded(double value) {
        return Math.rint(value * 1_000_000) / 1_000_000;
    }

    static String number(double value) {
        if (!Double.isFinite(value)) {
            return "-";
        }
        double size = Math.abs(value);
        String format = size >= 100 ? "%.0f" : size >= 1 ? "%.2f" : "%.5f";
        return value == 0 ? "0" : String.format(Locale.ROOT, format, value);
    }

    /**
     * The machine that measured.
     *
     * @param processors processors that this program may use
     * @param model of the processor, as the system reports it
     * @param memoryMiB of the machine
     * @param java of the programs measured
     */
    public record Machine(int processors, String model, long memoryMiB, String java) {

        /** This machine. */
        public static Machine here() throws IOException {
            return new Machine(
                    Runtime.getRuntime().availableProcessors(),
                    after("/proc/cpuinfo", "model name"),
                    Long.parseLong(after("/proc/meminfo", "MemTotal").replaceAll("[^0-9]", ""))
                            / 1024,
                    System.getProperty("java.vendor.version", "?"));
        }

        /** In one line. */
        public String describe() {
            return processors + " × " + model + ", " + memoryMiB + " MiB, " + java;
        }

        private static String after(String file, String label) throws IOException {
            for (Map.Entry<String, String> entry :
                    Files.readAllLines(Path.of(file)).stream()
                            .filter(line -> line.contains(":"))
                            .map(line -> line.split(":", 2))
                            .map(parts -> Map.entry(parts[0].strip(), parts[1].strip()))
                            .toList()) {
                if (entry.getKey().equals(label)) {
                    return entry.getValue();
                }
            }
            return "unknown";
        }
    }
}
