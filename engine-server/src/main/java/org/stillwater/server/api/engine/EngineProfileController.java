package org.stillwater.server.api.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.profile.EngineProfile;
import org.stillwater.server.profile.ProfileReport;

/**
 * Profile of the engine's time and memory: {@code /api/v1/engine}. Each report covers the last
 * {@code seconds}, in whole intervals of {@code stillwater.profile.interval}.
 */
@RestController
@RequestMapping("/api/v1/engine")
class EngineProfileController {

    private static final String MINUTE = "60";

    private final EngineProfile profile;
    private final EngineStructures structures;

    EngineProfileController(EngineProfile profile, EngineStructures structures) {
        this.profile = profile;
        this.structures = structures;
    }

    /**
     * Memory.
     *
     * @param items types by allocated bytes, then structures by their number of entries
     * @param stages stages by allocated bytes
     */
    record Memory(
            String since,
            String until,
            double seconds,
            long heapUsedBytes,
            long heapMaxBytes,
            @Nullable Long heapAfterCollectionBytes,
            @Nullable String heapAfterCollectionAt,
            @Nullable Long residentBytes,
            @Nullable Long directBytes,
            long collections,
            double pauseMillis,
            double longestPauseMillis,
            long collectorMillis,
            long allocatedBytes,
            List<Object> items,
            List<ProfileReport.AllocationItem> stages) {}

    /** CPU by stage, and waits for locks. */
    @GetMapping("/profile")
    ProfileReport.Cpu cpu(
            @RequestParam(defaultValue = MINUTE) int seconds,
            @RequestParam(defaultValue = "false") boolean tree) {
        return known(profile.cpu(checked(seconds), tree));
    }

    /** Statements by their total time. */
    @GetMapping("/statements")
    ProfileReport.Statements statements(@RequestParam(defaultValue = MINUTE) int seconds) {
        return known(profile.statements(checked(seconds)));
    }

    /** Memory, allocations and the fill of bounded structures. */
    @GetMapping("/memory")
    Memory memory(@RequestParam(defaultValue = MINUTE) int seconds) {
        ProfileReport.Memory report = known(profile.memory(checked(seconds)));
        List<Object> items = new ArrayList<>(report.types());
        items.addAll(
                structures.all().stream()
                        .sorted(
                                Comparator.comparingLong(EngineStructures.Structure::entries)
                                        .reversed())
                        .toList());
        Runtime runtime = Runtime.getRuntime();
        return new Memory(
                report.since().toString(),
                report.until().toString(),
                report.seconds(),
                runtime.totalMemory() - runtime.freeMemory(),
                runtime.maxMemory(),
                report.heapAfterCollectionBytes(),
                report.heapAt() == null ? null : report.heapAt().toString(),
                report.residentBytes(),
                report.directBytes(),
                report.collections(),
                report.pauseMillis(),
                report.longestPauseMillis(),
                report.collectorMillis(),
                report.allocatedBytes(),
                items,
                report.stages());
    }

    private int checked(int seconds) {
        if (!profile.isEnabled()) {
            throw ApiException.notFound(
                    "The engine's profile is switched off by stillwater.profile.enabled.");
        }
        long most = profile.span().toSeconds();
        if (seconds < 1 || seconds > most) {
            throw ApiException.badRequest("seconds must be 1 to " + most);
        }
        return seconds;
    }

    private static <T> T known(@Nullable T report) {
        if (report == null) {
            throw ApiException.unavailable("The engine's profile has no event yet.");
        }
        return report;
    }
}
