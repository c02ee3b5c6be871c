package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Report;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures sections one after the other. One that fails is named, and the others continue. One
 * thread; everything it started has ended when {@link #measure} returns.
 */
public final class XapiRun {

    private final XapiPlan plan;
    private final Measures measures;
    private final List<Decoding.Figure> figures = new ArrayList<>();
    private final List<Map<String, String>> failures = new ArrayList<>();
    private final HarnessClock clock = new HarnessClock();
    private String peerLeftOut = "";

    /** A run that prints its figures as it makes them. */
    public XapiRun(XapiPlan plan, PrintStream out) {
        this.plan = plan;
        this.measures = new Measures(out);
    }

    private interface Part {
        void measure() throws IOException, InterruptedException;
    }

    /** Measures these sections; a programme that is ended stops its processes. */
    public void measure(Set<XapiSection> sections) throws IOException, InterruptedException {
        Files.createDirectories(plan.folder());
        Thread measuring = Thread.currentThread();
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(() -> interruptAndWait(measuring, ended), "stop-bench");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            all(sections);
        } finally {
            ended.countDown();
            removeHook(hook);
        }
    }

    /**
     * At the end of this JVM: lets the measuring thread stop its processes. The thread itself
     * cannot be waited for: it continues to end the process, and waits for us.
     */
    private static void interruptAndWait(Thread measuring, CountDownLatch ended) {
        measuring.interrupt();
        try {
            if (!ended.await(75, TimeUnit.SECONDS)) {
                System.err.println("bench: the programs did not stop in time");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void removeHook(Thread hook) {
        try {
            boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // the JVM is ending already: the hook called this code
        }
    }

    private void all(Set<XapiSection> sections) throws InterruptedException {
        Set<XapiSection> ofChanges = EnumSet.noneOf(XapiSection.class);
        sections.stream().filter(ChangesSection.SECTIONS::contains).forEach(ofChanges::add);
        boolean comparable =
                sections.contains(XapiSection.SYNC)
                        || sections.contains(XapiSection.LATENCY)
                        || sections.contains(XapiSection.BATCHING);
        Peer peer = peer(comparable);
        if (sections.contains(XapiSection.DECODE)) {
            attempt(
                    XapiSection.DECODE,
                    () -> figures.addAll(new Decoding(plan, measures).measure()));
        }
        if (sections.contains(XapiSection.SYNC)) {
            attempt(XapiSection.SYNC, new SyncSection(plan, measures, peer)::measure);
        }
        if (sections.contains(XapiSection.METRICS)) {
            attempt(XapiSection.METRICS, new MetricsSection(plan, measures)::measure);
        }
        if (!ofChanges.isEmpty()) {
            attempt(
                    ofChanges.iterator().next(),
                    new ChangesSection(plan, measures, peer, ofChanges)::measure);
        }
        if (sections.contains(XapiSection.STABLE)) {
            attempt(XapiSection.STABLE, new StableSection(plan, measures)::measure);
        }
    }

    private Peer peer(boolean wanted) throws InterruptedException {
        if (!wanted) {
            return Peer.none("no section compares with it");
        }
        Peer peer = plan.peer() ? Peer.find() : Peer.none("--no-peer was given");
        if (!peer.isThere()) {
            peerLeftOut = peer.reason();
            measures.say(Peer.NAME + " is left out: " + peer.reason());
        }
        return peer;
    }

    private void attempt(XapiSection section, Part part) throws InterruptedException {
        long begun = clock.nanoTime();
        try {
            part.measure();
            measures.say(
                    "(%s: %d s)"
                            .formatted(
                                    section.word(),
                                    Duration.ofNanos(clock.nanoTime() - begun).toSeconds()));
        } catch (BenchFailure | IOException e) {
            String reason = String.valueOf(e.getMessage());
            failures.add(Map.of("section", section.word(), "reason", reason));
            measures.say(section.word() + " was not measured to its end: " + reason);
        }
    }

    /** Whether every section was measured to its end. */
    public boolean isComplete() {
        return failures.isEmpty();
    }

    /** The missed targets, and values that were not measured. */
    public String summary() {
        StringBuilder summary = new StringBuilder(measures.summary());
        if (!peerLeftOut.isEmpty()) {
            summary.append(Peer.NAME).append(" was left out: ").append(peerLeftOut).append('\n');
        }
        failures.forEach(each ->
                summary.append(each.get("section"))
                        .append(" was not measured to its end: ")
                        .append(each.get("reason"))
                        .append('\n'));
        return summary.toString();
    }

    /**
     * Writes the same figures.
     *
     * @param commit of the checkout
     * @param command that was given
     */
    public void writeJson(Path file, String commit, String command) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("scenario", "xapi");
        all.put("commit", commit);
        all.put("command", command);
        all.put("machine", Report.Machine.here().describe());
        Map<String, Object> size = new LinkedHashMap<>();
        size.put("pools", plan.pools());
        size.put("hosts", plan.hosts());
        size.put("vms", plan.vms());
        size.put("rounds", plan.rounds());
        size.put("syncs", plan.syncs());
        size.put("changes", plan.changes());
        size.put("changesPerSecond", plan.perSecond());
        size.put("watchSeconds", plan.watched().toSeconds());
        size.put("seed", plan.seed());
        all.put("plan", size);
        all.put("peer", Map.of("name", Peer.NAME, "leftOut", peerLeftOut));
        all.put("figures", figures);
        all.put("measures", measures.json());
        all.put("failures", failures);
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.writeString(
                file,
                JsonMapper.builder()
                                .build()
                                .writerWithDefaultPrettyPrinter()
                                .writeValueAsString(all)
                        + "\n");
    }
}
