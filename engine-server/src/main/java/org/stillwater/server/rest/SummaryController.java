package org.stillwater.server.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringHealth;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.write.WriterState;
import org.stillwater.server.meter.StableCycles;
import org.stillwater.server.settings.ObservationSettings;

/** The fleet in numbers: {@code /api/v1/summary}. */
@RestController
@RequestMapping("/api/v1/summary")
class SummaryController {

    private final MonitoringEngine engine;
    private final StableCycles cycles;
    private final int names;

    SummaryController(MonitoringEngine engine, StableCycles cycles, ObservationSettings settings) {
        this.engine = engine;
        this.cycles = cycles;
        this.names = settings.namesInHealth();
    }

    /**
     * The answer.
     *
     * @param revision revision of the newest change
     * @param hosts hosts by status
     * @param vms VMs by status
     * @param durable whether changes reach the database
     * @param waitingRows changes that are not written yet
     * @param lastCycleSql statements of the last cycle interval, null before its end
     * @param stableCycles cycle intervals in which nothing changed
     * @param trouble what a person should look at, a few sentences
     */
    record Summary(
            long revision,
            Map<String, Integer> hosts,
            Map<String, Integer> vms,
            boolean durable,
            int waitingRows,
            @Nullable Long lastCycleSql,
            long stableCycles,
            List<String> trouble) {}

    @GetMapping
    Summary summary() {
        Map<String, Integer> hosts = new TreeMap<>();
        engine.hosts().forEach(host -> count(hosts, host.state().status()));
        Map<String, Integer> vms = new TreeMap<>();
        engine.vms().forEach(vm -> count(vms, vm.state().runtime().status()));
        MonitoringHealth health = engine.health();
        return new Summary(
                engine.revision(),
                hosts,
                vms,
                health.isDurable(),
                health.writer().waiting(),
                cycles.lastSql(),
                cycles.stable(),
                trouble(health));
    }

    private static void count(Map<String, Integer> counts, Enum<?> status) {
        counts.merge(Json.word(status), 1, Integer::sum);
    }

    private List<String> trouble(MonitoringHealth health) {
        List<String> trouble = new ArrayList<>();
        WriterState writer = health.writer();
        if (!health.isDurable()) {
            trouble.add(
                    "Not durable since %s, %d changes wait: %s"
                            .formatted(
                                    writer.notDurableSince(),
                                    writer.waiting(),
                                    writer.notDurableReason()));
        }
        if (!writer.rejected().isEmpty()) {
            trouble.add("The database refuses %d rows".formatted(writer.rejected().size()));
        }
        long givenUp = health.audit().givenUp();
        if (givenUp > 0) {
            trouble.add("%d audit entries were given up: too many wait".formatted(givenUp));
        }
        List<HostHealth> failing =
                health.unwell().stream().filter(host -> host.reason() != null).toList();
        failing.stream()
                .limit(names)
                .forEach(host -> trouble.add(host.definition().name() + ": " + host.reason()));
        if (failing.size() > names) {
            trouble.add("and %d more hosts".formatted(failing.size() - names));
        }
        return trouble;
    }
}
