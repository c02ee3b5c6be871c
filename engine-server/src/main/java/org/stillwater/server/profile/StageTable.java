package org.stillwater.server.profile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which stage a stack belongs to: the table of packages, and of single classes and methods where a
 * package serves two stages. The innermost frame of the engine decides; code that serves all stages
 * belongs to its caller, and everything that a start's reading calls is of its stage. Stacks
 * without a frame of the engine are looked up by their libraries. Immutable.
 */
final class StageTable {

    /**
     * One line.
     *
     * @param name a package, a class or a method; sub-packages follow it unless they have a line
     * @param stage null if the caller decides
     * @param reach the stacks for which it decides
     */
    record Line(String name, @Nullable Stage stage, Reach reach) {}

    /** Stacks for which a line decides. */
    enum Reach {
        /** Those whose innermost frame of the engine it names. */
        INNERMOST,
        /** Those without a frame of the engine. */
        LIBRARY,
        /** Every stack with a frame that it names. */
        BELOW
    }

    static final List<Line> LINES =
            List.of(
                    // The domain: pure functions, and values that all stages use.
                    caller("org.stillwater.core.access"),
                    line("org.stillwater.core.alert", Stage.HISTORY),
                    line("org.stillwater.core.analysis", Stage.ANALYSE),
                    caller("org.stillwater.core.audit"),
                    line("org.stillwater.core.benchmark", Stage.HISTORY),
                    line("org.stillwater.core.cadence", Stage.APPLY),
                    caller("org.stillwater.core.cluster"),
                    line("org.stillwater.core.command", Stage.COMMAND),
                    caller("org.stillwater.core.connection"),
                    caller("org.stillwater.core.definition"),
                    caller("org.stillwater.core.fence"),
                    line("org.stillwater.core.history", Stage.HISTORY),
                    caller("org.stillwater.core.host"),
                    caller("org.stillwater.core.id"),
                    line("org.stillwater.core.operation", Stage.COMMAND),
                    line("org.stillwater.core.regression", Stage.HISTORY),
                    caller("org.stillwater.core.report"),
                    line("org.stillwater.core.schedule", Stage.COMMAND),
                    caller("org.stillwater.core.secret"),
                    caller("org.stillwater.core.store"),
                    caller("org.stillwater.core.text"),
                    caller("org.stillwater.core.time"),
                    line("org.stillwater.core.trust", Stage.ANALYSE),
                    caller("org.stillwater.core.value"),
                    caller("org.stillwater.core.vm"),
                    // The wire.
                    line("org.stillwater.vdsm.jsonrpc", Stage.DECODE),
                    line("org.stillwater.vdsm.stomp", Stage.RECEIVE),
                    line("org.stillwater.vdsm.wire", Stage.DECODE),
                    line("org.stillwater.vdsm.client", Stage.RECEIVE),
                    line("org.stillwater.vdsm.client.recording", Stage.OTHER),
                    line("org.stillwater.vdsm.client.AuthorityTrust", Stage.CONNECT),
                    line("org.stillwater.vdsm.client.Certificates", Stage.CONNECT),
                    line("org.stillwater.vdsm.client.ConnectGate", Stage.CONNECT),
                    line("org.stillwater.vdsm.client.PemReader", Stage.CONNECT),
                    line("org.stillwater.vdsm.client.TlsContexts", Stage.CONNECT),
                    line("org.stillwater.vdsm.client.VdsmHostConnector", Stage.CONNECT),
                    line("org.stillwater.vdsm.client.HostDecoder", Stage.DECODE),
                    line("org.stillwater.vdsm.client.HostReader", Stage.DECODE),
                    line("org.stillwater.vdsm.client.Lists", Stage.DECODE),
                    line("org.stillwater.vdsm.client.NumaDecoder", Stage.DECODE),
                    line("org.stillwater.vdsm.client.PatternFinder", Stage.DECODE),
                    line("org.stillwater.vdsm.client.PollMemory", Stage.DECODE),
                    line("org.stillwater.vdsm.client.PollReader", Stage.DECODE),
                    line("org.stillwater.vdsm.client.RecordReader", Stage.DECODE),
                    line("org.stillwater.vdsm.client.ReportPattern", Stage.DECODE),
                    line("org.stillwater.vdsm.client.SampleNumber", Stage.DECODE),
                    line("org.stillwater.vdsm.client.StatisticsPattern", Stage.DECODE),
                    line("org.stillwater.vdsm.client.StatisticsReader", Stage.DECODE),
                    line("org.stillwater.vdsm.client.Texts", Stage.DECODE),
                    line("org.stillwater.vdsm.client.VmDecoder", Stage.DECODE),
                    line("org.stillwater.vdsm.client.VmJobs", Stage.DECODE),
                    line("org.stillwater.vdsm.client.VmMembers", Stage.DECODE),
                    line("org.stillwater.vdsm.client.VmMessage", Stage.DECODE),
                    line("org.stillwater.xapi.client", Stage.DECODE),
                    line("org.stillwater.xapi.client.Http", Stage.RECEIVE),
                    line("org.stillwater.xapi.client.HttpConnection", Stage.RECEIVE),
                    line("org.stillwater.xapi.client.NetworkTransport", Stage.RECEIVE),
                    line("org.stillwater.xapi.client.PinningTrust", Stage.CONNECT),
                    line("org.stillwater.xapi.client.PoolAuthorities", Stage.CONNECT),
                    line("org.stillwater.xapi.client.PoolConnection", Stage.CONNECT),
                    line("org.stillwater.xapi.host", Stage.APPLY),
                    // Monitoring.
                    caller("org.stillwater.monitoring"),
                    below("org.stillwater.monitoring.FleetRecovery", Stage.LOAD),
                    line("org.stillwater.monitoring.audit", Stage.WRITE),
                    line("org.stillwater.monitoring.belief", Stage.APPLY),
                    line("org.stillwater.monitoring.belief.BeliefWriter", Stage.WRITE),
                    line("org.stillwater.monitoring.cadence", Stage.APPLY),
                    line("org.stillwater.monitoring.cluster", Stage.APPLY),
                    line("org.stillwater.monitoring.device", Stage.APPLY),
                    line("org.stillwater.monitoring.dwh", Stage.DUMP),
                    line("org.stillwater.monitoring.explain", Stage.REST),
                    line("org.stillwater.monitoring.feed", Stage.PUBLISH),
                    line("org.stillwater.monitoring.fence", Stage.COMMAND),
                    line("org.stillwater.monitoring.history", Stage.HISTORY),
                    line("org.stillwater.monitoring.host", Stage.APPLY),
                    line("org.stillwater.monitoring.job", Stage.APPLY),
                    caller("org.stillwater.monitoring.lock"),
                    line("org.stillwater.monitoring.lun", Stage.APPLY),
                    line("org.stillwater.monitoring.numa", Stage.APPLY),
                    caller("org.stillwater.monitoring.observe"),
                    line("org.stillwater.monitoring.alert", Stage.HISTORY),
                    line("org.stillwater.monitoring.benchmark", Stage.HISTORY),
                    line("org.stillwater.monitoring.regression", Stage.HISTORY),
                    line("org.stillwater.monitoring.tag", Stage.REST),
                    line("org.stillwater.monitoring.trust", Stage.CONNECT),
                    line("org.stillwater.monitoring.vm", Stage.APPLY),
                    line("org.stillwater.monitoring.work", Stage.COMMAND),
                    caller("org.stillwater.monitoring.worker"),
                    line("org.stillwater.monitoring.write", Stage.WRITE),
                    line("org.stillwater.command", Stage.COMMAND),
                    // The database.
                    line("org.stillwater.dal", Stage.WRITE),
                    line("org.stillwater.dal.embedded", Stage.OTHER),
                    line("org.stillwater.dal.BinaryCopy", Stage.HISTORY),
                    line("org.stillwater.dal.JdbcHistoryStore", Stage.HISTORY),
                    line("org.stillwater.dal.JdbcOperationStore", Stage.COMMAND),
                    line("org.stillwater.dal.JdbcStatisticsStore", Stage.DUMP),
                    line("org.postgresql.jdbc.PgConnection.commit", Stage.COMMIT),
                    // The server.
                    line("org.stillwater.ovirt", Stage.REST),
                    caller("org.stillwater.server"),
                    line("org.stillwater.server.alert", Stage.OTHER),
                    line("org.stillwater.server.api", Stage.REST),
                    line("org.stillwater.server.api.stream", Stage.STREAM),
                    line("org.stillwater.server.configuration", Stage.OTHER),
                    line("org.stillwater.server.dependencies", Stage.OTHER),
                    line("org.stillwater.server.diagnostics", Stage.OTHER),
                    line("org.stillwater.server.disk", Stage.OTHER),
                    line("org.stillwater.server.fence", Stage.COMMAND),
                    line("org.stillwater.server.health", Stage.REST),
                    line("org.stillwater.server.http", Stage.REST),
                    line("org.stillwater.server.meter", Stage.SCRAPE),
                    line("org.stillwater.server.metrics", Stage.SCRAPE),
                    line("org.stillwater.server.ovirt", Stage.REST),
                    line("org.stillwater.server.profile", Stage.PROFILE),
                    line("org.stillwater.server.programs", Stage.OTHER),
                    line("org.stillwater.server.recording", Stage.OTHER),
                    line("org.stillwater.server.secrets", Stage.OTHER),
                    line("org.stillwater.server.security", Stage.REST),
                    line("org.stillwater.server.settings", Stage.OTHER),
                    line("org.stillwater.server.stall", Stage.PROFILE),
                    line("org.stillwater.server.systemd", Stage.OTHER),
                    line("org.stillwater.server.takeover", Stage.OTHER),
                    line("org.stillwater.server.tls", Stage.CONNECT),
                    line("org.stillwater.server.trace", Stage.SCRAPE),
                    caller("org.stillwater.server.wiring"),
                    line("org.stillwater.server.xapi", Stage.APPLY),
                    line("jdk.jfr", Stage.PROFILE),
                    line("io.micrometer.prometheusmetrics", Stage.SCRAPE),
                    line("io.prometheus.metrics", Stage.SCRAPE),
                    // Libraries, for stacks that have no frame of the engine.
                    library("org.apache.catalina", Stage.REST),
                    library("org.apache.coyote", Stage.REST),
                    library("org.apache.tomcat", Stage.REST),
                    library("org.springframework.web", Stage.REST),
                    library("io.micrometer", Stage.SCRAPE));

    private static final Map<String, Line> BY_NAME = byName();

    private StageTable() {}

    private static Line line(String name, Stage stage) {
        return new Line(name, stage, Reach.INNERMOST);
    }

    private static Line caller(String name) {
        return new Line(name, null, Reach.INNERMOST);
    }

    private static Line library(String name, Stage stage) {
        return new Line(name, stage, Reach.LIBRARY);
    }

    private static Line below(String name, Stage stage) {
        return new Line(name, stage, Reach.BELOW);
    }

    private static Map<String, Line> byName() {
        Map<String, Line> all = new HashMap<>();
        for (Line line : LINES) {
            if (all.put(line.name(), line) != null) {
                throw new IllegalStateException("two lines for " + line.name());
            }
        }
        return Map.copyOf(all);
    }

    /** The most specific line of a method, null if no line is about it. */
    static @Nullable Line of(Frame frame) {
        int nested = frame.type().indexOf('$');
        String type = nested < 0 ? frame.type() : frame.type().substring(0, nested);
        String name = type + "." + frame.method();
        while (true) {
            Line line = BY_NAME.get(name);
            if (line != null) {
                return line;
            }
            int end = name.lastIndexOf('.');
            if (end < 0) {
                return null;
            }
            name = name.substring(0, end);
        }
    }

    /** The stage of a stack, its innermost frame first. */
    static Stage stage(List<Frame> stack) {
        Stage innermost = null;
        Stage library = null;
        for (Frame frame : stack) {
            Line line = of(frame);
            if (line != null && line.stage() != null) {
                switch (line.reach()) {
                    case BELOW -> {
                        return line.stage();
                    }
                    case INNERMOST -> innermost = innermost == null ? line.stage() : innermost;
                    case LIBRARY -> library = library == null ? line.stage() : library;
                }
            }
        }
        return innermost != null ? innermost : library == null ? Stage.OTHER : library;
    }

    /** The innermost frame of the engine, else the innermost of all; null for an empty stack. */
    static @Nullable Frame place(List<Frame> stack) {
        for (Frame frame : stack) {
            if (frame.type().startsWith("org.stillwater.")) {
                return frame;
            }
        }
        return stack.isEmpty() ? null : stack.getFirst();
    }
}
