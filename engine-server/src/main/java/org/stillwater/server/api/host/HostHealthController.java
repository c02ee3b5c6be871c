package org.stillwater.server.api.host;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.text.TimeText;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.device.IntakeTrouble;
import org.stillwater.monitoring.host.AnswerTime;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostTrouble;
import org.stillwater.monitoring.host.Stall;
import org.stillwater.server.api.web.Json;

/** Which hosts are not well, since when and why: {@code /api/v1/health/hosts}. */
@RestController
@RequestMapping("/api/v1/health/hosts")
class HostHealthController {

    private final FleetReader fleet;
    private final EngineClock clock;

    HostHealthController(FleetReader fleet, EngineClock clock) {
        this.fleet = fleet;
        this.clock = clock;
    }

    /**
     * The answer.
     *
     * @param total number of hosts
     * @param counts hosts by condition, every condition named
     * @param items those in trouble, by name
     */
    record Answer(int total, Map<String, Integer> counts, List<Item> items) {}

    /**
     * A host in trouble.
     *
     * @param condition its trouble, in one word
     * @param since since when
     * @param why one sentence, null without a reason
     * @param waitingMillis how long the oldest call waits for its answer, null when none does
     * @param complaints warnings and their counts since the engine started
     * @param lastStall the last stall that restarted its monitoring, null for none
     */
    record Item(
            String id,
            String name,
            String clusterId,
            String condition,
            String status,
            String since,
            @Nullable String why,
            @Nullable String lastPollAt,
            @Nullable Long lastAnswerMillis,
            @Nullable Long slowestAnswerMillis,
            @Nullable Long waitingMillis,
            Map<String, Long> complaints,
            @Nullable StallView lastStall) {}

    /**
     * A watching that stood still.
     *
     * @param task its task
     * @param seconds for how long
     */
    record StallView(String task, long seconds) {}

    @GetMapping
    Answer hosts() {
        List<HostHealth> all = fleet.hostHealth();
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (HostTrouble trouble : HostTrouble.values()) {
            counts.put(trouble.label(), 0);
        }
        List<Item> items = new ArrayList<>();
        for (HostHealth host : all) {
            HostTrouble trouble = host.trouble();
            counts.merge(trouble.label(), 1, Integer::sum);
            if (trouble.isTrouble()) {
                items.add(item(host, trouble));
            }
        }
        return new Answer(all.size(), counts, items);
    }

    private Item item(HostHealth host, HostTrouble trouble) {
        AnswerTime answers = host.answers();
        Instant polled = host.lastPollAt();
        Stall stall = host.lastStall();
        return new Item(
                host.definition().id().toString(),
                host.definition().name(),
                host.definition().cluster().toString(),
                trouble.label(),
                Json.word(host.status()),
                since(host, trouble).toString(),
                why(host, trouble),
                polled == null ? null : polled.toString(),
                millis(answers.last()),
                millis(answers.slowest()),
                millis(answers.waiting()),
                new TreeMap<>(host.warnings()),
                stall == null ? null : new StallView(stall.task(), stall.time().toSeconds()));
    }

    private Instant since(HostHealth host, HostTrouble trouble) {
        Duration slowFor = host.answers().slowFor();
        Instant polled = host.lastPollAt();
        Instant floods = host.floodsSince();
        if (trouble == HostTrouble.FLOODING && floods != null) {
            return floods;
        }
        IntakeTrouble intake = host.intake();
        if (trouble == HostTrouble.INTAKE_FAILED && intake != null) {
            return intake.since();
        }
        HostHealth.AnalysisTrouble analysis = host.analysis();
        if (trouble == HostTrouble.ANALYSIS_FAILED && analysis != null) {
            return analysis.since();
        }
        if (trouble == HostTrouble.SLOW && slowFor != null) {
            return clock.now().minus(slowFor);
        }
        return trouble == HostTrouble.OVERDUE && polled != null ? polled : host.since();
    }

    private static @Nullable String why(HostHealth host, HostTrouble trouble) {
        return switch (trouble) {
            case SLOW -> slowness(host.answers());
            case FLOODING ->
                    "it causes more events, audit entries or unknown VMs than the limits of one"
                            + " host allow; polls and one audit entry a minute replace the excess";
            default -> host.reason();
        };
    }

    private static String slowness(AnswerTime answers) {
        Duration slowest = answers.slowest();
        Duration waiting = answers.waiting();
        List<String> facts = new ArrayList<>(2);
        if (slowest != null) {
            facts.add("the slowest of its last answers took " + TimeText.of(slowest));
        }
        if (waiting != null) {
            facts.add("a call has waited for " + TimeText.of(waiting));
        }
        return String.join("; ", facts);
    }

    private static @Nullable Long millis(@Nullable Duration time) {
        return time == null ? null : time.toMillis();
    }
}
