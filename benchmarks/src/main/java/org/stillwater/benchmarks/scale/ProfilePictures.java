package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.stillwater.benchmarks.scale.BarPicture.Whose;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The four figures of a profiled {@code bench stable} as pictures: CPU by stage, hot spots of the
 * database, statements, memory. Beside them stand the figures that the work which this engine
 * continues published for its own machine, and those of the old engine as measured on such a
 * machine as this. Stateless.
 */
public final class ProfilePictures {

    /** The data, in the folder of the pictures. */
    public static final String DATA = "profile.json";

    /** Cycles of 15 s in an hour. */
    private static final int CYCLES_PER_HOUR = 240;

    private static final double USUAL_INTERVAL_SECONDS = 15;
    private static final int MOST_STATEMENTS = 8;
    private static final double MILLION = 1_000_000;
    private static final String BEFORE = "published work, before";
    private static final String AFTER = "published work, after";
    private static final String OLD = "old engine, measured";

    /** CPU of the old engine and of its database for a cycle of 6 000 stable VMs, in s. */
    private static final double OLD_CPU = 0.67;

    private static final double OLD_DATABASE_CPU = 0.41;

    /** Statements of the old engine for a cycle of 6 000 stable VMs. */
    private static final int OLD_STATEMENTS = 18_000;

    private static final List<String> MONITORING =
            List.of("connect", "receive", "decode", "analyse", "apply", "publish");
    private static final List<String> PERSISTENCE = List.of("write", "commit", "history", "dump");

    private ProfilePictures() {}

    /**
     * Writes the pictures of a file of {@code bench stable --profile --json} beside it.
     *
     * @return the files
     */
    public static List<Path> write(Path data) throws IOException {
        Path folder = data.toAbsolutePath().getParent();
        List<Path> written = new ArrayList<>();
        for (Map.Entry<String, String> each : of(read(data)).entrySet()) {
            Path file = folder == null ? Path.of(each.getKey()) : folder.resolve(each.getKey());
            Files.writeString(file, each.getValue());
            written.add(file);
        }
        return written;
    }

    /** The figures in a file. */
    static JsonNode read(Path data) throws IOException {
        return JsonMapper.builder().build().readTree(Files.readString(data));
    }

    /**
     * The pictures by the names of their files.
     *
     * @throws BenchFailure if the figures have no profile
     */
    static Map<String, String> of(JsonNode figures) {
        if (!figures.path("profile").isObject()) {
            throw new BenchFailure("pictures need the figures of bench stable --profile");
        }
        Map<String, String> pictures = new LinkedHashMap<>();
        pictures.put("profile-cpu.svg", cpu(figures));
        pictures.put("profile-hot-spots.svg", hotSpots(figures));
        pictures.put("profile-statements.svg", statements(figures));
        pictures.put("profile-memory.svg", memory(figures));
        return pictures;
    }

    /** Subtitle that describes the measurement. */
    private static String subtitle(JsonNode figures) {
        double interval = figures.path("intervalSeconds").asDouble();
        return "%s VMs on %s host(s), %d cycles of %s s%s; commit %s, %s"
                .formatted(
                        figures.path("vms").asInt(),
                        figures.path("hosts").asInt(),
                        figures.path("cycles").asInt(),
                        number(interval),
                        interval < USUAL_INTERVAL_SECONDS ? ", accelerated from 15 s" : "",
                        figures.path("commit").asString("unknown"),
                        figures.path("machine").asString("unknown"));
    }

    private static Map<String, Double> group(JsonNode figures, String group) {
        Map<String, Double> values = new LinkedHashMap<>();
        JsonNode all = figures.path("profile").path(group);
        for (String name : all.propertyNames()) {
            values.put(name, all.path(name).path("median").asDouble());
        }
        return values;
    }

    private static String cpu(JsonNode figures) {
        double perHour = figures.path("vms").asDouble() * CYCLES_PER_HOUR;
        Map<String, Double> stages = group(figures, RunProfile.CPU);
        stages.replaceAll((_, micros) -> micros * perHour / MILLION);
        BarPicture picture =
                new BarPicture(
                        "CPU of the engine, seconds for an hour's cycles", subtitle(figures));
        double whole = figures.path("cpuMillisPerVmCycle").asDouble() * perHour / 1_000;
        double database = figures.path("databaseCpuMillisPerVmCycle").asDouble() * perHour / 1_000;
        picture.section("Whole process")
                .bar("this engine", whole, seconds(whole), Whose.OURS)
                .bar(
                        OLD,
                        OLD_CPU * CYCLES_PER_HOUR,
                        seconds(OLD_CPU * CYCLES_PER_HOUR),
                        Whose.THEIRS)
                .bar(BEFORE, 2_297, seconds(2_297), Whose.THEIRS)
                .bar(AFTER, 1_789, seconds(1_789), Whose.THEIRS);
        double monitoring = sum(stages, MONITORING);
        picture.section("Monitoring")
                .bar("this engine", monitoring, seconds(monitoring), Whose.OURS)
                .bar(BEFORE, 1_451, seconds(1_451), Whose.THEIRS)
                .bar(AFTER, 814, seconds(814), Whose.THEIRS);
        double persistence = sum(stages, PERSISTENCE);
        picture.section("Persistence, in the engine")
                .bar("this engine", persistence, seconds(persistence), Whose.OURS)
                .bar(BEFORE, 546, seconds(546), Whose.THEIRS)
                .bar(AFTER, 114, seconds(114), Whose.THEIRS);
        double oldDatabase = OLD_DATABASE_CPU * CYCLES_PER_HOUR;
        picture.section("Processes of the database")
                .bar("this engine", database, seconds(database), Whose.OURS)
                .bar(OLD, oldDatabase, seconds(oldDatabase), Whose.THEIRS);
        picture.section("This engine by stage, from samples");
        stages.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .sorted(dearest(Map.Entry::getValue))
                .forEach(each ->
                        picture.bar(
                                each.getKey(),
                                each.getValue(),
                                seconds(each.getValue()),
                                Whose.OURS));
        return picture.svg();
    }

    private static double sum(Map<String, Double> stages, List<String> names) {
        return names.stream().mapToDouble(name -> stages.getOrDefault(name, 0.0)).sum();
    }

    private static <T> Comparator<T> dearest(ToDoubleFunction<T> value) {
        return Comparator.comparingDouble(value).reversed();
    }

    private static String hotSpots(JsonNode figures) {
        Map<String, Double> calls = group(figures, RunProfile.CALLS);
        Map<String, Double> means = group(figures, RunProfile.MEAN);
        BarPicture picture =
                new BarPicture("Hot spots of the database", subtitle(figures))
                        .section("This engine: time of statements for an hour's cycles");
        calls.entrySet().stream()
                .map(each ->
                        Map.entry(
                                each.getKey(),
                                each.getValue()
                                        * CYCLES_PER_HOUR
                                        * means.getOrDefault(each.getKey(), 0.0)
                                        / MILLION))
                .sorted(dearest(Map.Entry::getValue))
                .limit(MOST_STATEMENTS)
                .forEach(each ->
                        picture.bar(
                                each.getKey(),
                                each.getValue(),
                                "%s, mean %s ms"
                                        .formatted(
                                                seconds(each.getValue()),
                                                number(
                                                        means.getOrDefault(each.getKey(), 0.0)
                                                                / 1_000)),
                                Whose.OURS));
        return picture.section("Interfaces of a VM, mean of the statement")
                .bar("this engine", 0, "none in a stable cycle", Whose.OURS)
                .bar(BEFORE, 678, "678 µs", Whose.THEIRS)
                .bar(AFTER, 282, "282 µs", Whose.THEIRS)
                .section("Running VMs of a host, mean of the statement")
                .bar("this engine", 0, "none in a stable cycle", Whose.OURS)
                .bar(BEFORE, 3_539, "3 539 ms", Whose.THEIRS)
                .bar(AFTER, 909, "909 ms", Whose.THEIRS)
                .section("Save of a VM's dynamic data, mean of the statement")
                .bar("this engine", 0, "none in a stable cycle", Whose.OURS)
                .bar(BEFORE, 544, "544 µs", Whose.THEIRS)
                .bar(AFTER, 0, "none", Whose.THEIRS)
                .svg();
    }

    private static String statements(JsonNode figures) {
        BarPicture picture =
                new BarPicture("Statements of a stable cycle", subtitle(figures))
                        .section("All, for each cycle");
        for (String of : List.of("monitoring", "history", "warehouse", "other")) {
            String member = of + "SqlPerStableCycle";
            if (!figures.has(member)) {
                continue; // data of an earlier commit
            }
            double sent = figures.path(member).asDouble();
            picture.bar("this engine, " + of, sent, number(sent), Whose.OURS);
        }
        picture.bar(OLD, OLD_STATEMENTS, "18 000", Whose.THEIRS)
                .section("This engine by statement, calls for each cycle");
        group(figures, RunProfile.CALLS).entrySet().stream()
                .sorted(dearest(Map.Entry::getValue))
                .limit(MOST_STATEMENTS)
                .forEach(each ->
                        picture.bar(
                                each.getKey(),
                                each.getValue(),
                                number(each.getValue()),
                                Whose.OURS));
        return picture.svg();
    }

    private static String memory(JsonNode figures) {
        BarPicture picture =
                new BarPicture("Memory of the engine", subtitle(figures)).section("MiB");
        double live = figures.path("heapLiveMiB").asDouble();
        double resident = figures.path("rssMiB").asDouble();
        picture.bar("this engine, live heap", live, number(live) + " MiB", Whose.OURS)
                .bar("this engine, resident", resident, number(resident) + " MiB", Whose.OURS)
                .bar(BEFORE + ", peak", 1.45 * 1_000_000_000 / (1 << 20), "1.45 GB", Whose.THEIRS)
                .bar(AFTER + ", peak", 1.2 * 1_000_000_000 / (1 << 20), "1.2 GB", Whose.THEIRS)
                .section("This engine: allocated for each VM and cycle by stage, from samples");
        group(figures, RunProfile.ALLOCATION).entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .sorted(dearest(Map.Entry::getValue))
                .forEach(each ->
                        picture.bar(
                                each.getKey(),
                                each.getValue(),
                                number(each.getValue()) + " bytes",
                                Whose.OURS));
        return picture.svg();
    }

    private static String seconds(double value) {
        return number(value) + " s";
    }

    /** Three digits that count. */
    private static String number(double value) {
        double size = Math.abs(value);
        if (size == 0) {
            return "0";
        }
        if (size >= 100) {
            return String.format(Locale.ROOT, "%,d", Math.round(value)).replace(',', ' ');
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.0f" : size >= 1 ? "%.1f" : "%.3f", value);
    }
}
