package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.analysis.Scene.H2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;

/**
 * The page about VMs' statuses equals the analysis of every report in every status. Run with {@code
 * -Dstillwater.docs.update=true} to write it.
 */
class VmStatesPageTest {

    private static final Path PAGE = Path.of("..", "docs", "explanation", "vm-states.md");

    private static final String HEAD =
            """
            # The states of a VM

            A test generates this page: it calls
            [`VmAnalysis`](../../engine-core/src/main/java/org/stillwater/core/analysis/VmAnalysis.java) for every report about a VM in every
            status, and fails when the page is outdated. There is no table of allowed transitions: a report of a host about its own VMs
            always counts. The reporting host and the responsible host decide the result.

            The engine accepts reports of a host about its own VMs only ([ADR 0032](../adr/0032-a-host-is-believed-about-its-own-vms.md)). Another host becomes
            responsible for a VM

            1. as the destination of a migration that the engine ordered or that the source announced, or of a start that the engine ordered
               there, as for a VM with a lease, while no host reports the state of the VM;
            2. after the responsible host has denied the VM: a complete poll does not mention it, or its process ended there, or it migrated
               away;
            3. once the responsible host certainly does not run it: it was fenced, confirmed as switched off, taken out of service or
               removed, or it has booted and does not list the VM.

            Any other report of a process is a *contested claim*: VM and placement stay unchanged, the claim starts, destroys, reads or
            completes nothing, and the engine polls the responsible host at once. If that host reports that it runs the VM, the claim is
            refused, and stays visible while the claimant repeats it. If it denies the VM, the claimant becomes responsible at that moment.
            While a claim stands, the engine starts no replacement for a VM that ended with an error. A report of a former host, or of an
            earlier stay on a host, counts only for the remains on that host. The engine accepts the end of a migrating VM after a report of
            its destination, and the end of a VM that has just moved after a report of its former host. A late report never replaces a
            newer one of the same host.

            The tables below show the results by report and reporting host; *its host* is the responsible host of the VM.
            """;

    /** Possible reports of a host about a VM. */
    private enum Says {
        RUNS("it runs"),
        SAVES("it saves its state"),
        MIGRATES("it migrates away"),
        RECEIVES("it arrives"),
        POST_COPY("paused by post-copy"),
        ENDED("it ended normally"),
        FAILED("it failed"),
        SUSPENDED("its state is saved"),
        MIGRATED("it migrated away"),
        NEVER_ARRIVED("its migration failed"),
        NOTHING("not mentioned in a poll"),
        SILENCE("no answer");

        final String text;

        Says(String text) {
            this.text = text;
        }
    }

    /** The reporting host. */
    private enum Speaker {
        ITS_HOST(1, "its host"),
        DESTINATION(2, "the destination"),
        ANOTHER(3, "another host");

        final int number;
        final String text;

        Speaker(int number, String text) {
            this.number = number;
            this.text = text;
        }

        HostId host() {
            return new HostId(new UUID(0, number));
        }
    }

    /** Statuses of a process that is neither on its way nor at its end. */
    private static final List<VmStatus> RUNNING =
            List.of(
                    VmStatus.UP,
                    VmStatus.POWERING_UP,
                    VmStatus.PAUSED,
                    VmStatus.REBOOT_IN_PROGRESS,
                    VmStatus.POWERING_DOWN,
                    VmStatus.NOT_RESPONDING,
                    VmStatus.RESTORING_STATE,
                    VmStatus.WAIT_FOR_LAUNCH);

    /** A VM as it may be known. */
    private record Known(String text, Supplier<Scene> scene) {}

    private static final List<Known> KNOWN = known();

    private static List<Known> known() {
        List<Known> all = new ArrayList<>();
        for (VmStatus status : VmStatus.values()) {
            if (status == VmStatus.MIGRATING_FROM) {
                all.add(new Known("migrating_from", Scene::migrating));
                all.add(
                        new Known(
                                "migrating_from, destination unknown",
                                () -> Scene.vm(VmStatus.MIGRATING_FROM)));
            } else if (status == VmStatus.UNKNOWN) {
                all.add(new Known("unknown", () -> Scene.vm(VmStatus.UNKNOWN)));
                all.add(
                        new Known(
                                "unknown, it migrated",
                                () -> Scene.vm(VmStatus.UNKNOWN).migratingTo(H2)));
                all.add(
                        new Known(
                                "unknown, it left and was not reported since",
                                () ->
                                        Scene.vm(VmStatus.UNKNOWN)
                                                .with(
                                                        RuntimeField.EXIT_REASON,
                                                        ExitReason.MIGRATION_SUCCEEDED)));
                all.add(
                        new Known(
                                "unknown, it left and is overdue",
                                () ->
                                        Scene.vm(VmStatus.UNKNOWN)
                                                .with(
                                                        RuntimeField.EXIT_REASON,
                                                        ExitReason.MIGRATION_SUCCEEDED)
                                                .afterLongWaiting()));
            } else {
                all.add(new Known(status.label(), () -> Scene.vm(status)));
            }
        }
        return List.copyOf(all);
    }

    /** The result for a VM, in words; empty for none. */
    private static String next(Known known, Speaker speaker, Says says) {
        HostId host = speaker.host();
        return switch (says) {
            case RUNS -> afterRunning(known, host);
            case SAVES -> after(known, scene -> scene.says(host, VmStatus.SAVING_STATE));
            case MIGRATES -> after(known, scene -> scene.says(host, VmStatus.MIGRATING_FROM));
            case RECEIVES -> after(known, scene -> scene.says(host, VmStatus.MIGRATING_TO));
            case POST_COPY -> after(known, scene -> scene.saysPaused(host, PauseStatus.POSTCOPY));
            case ENDED -> ended(known, host, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);
            case FAILED -> ended(known, host, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
            case SUSPENDED ->
                    ended(known, host, ExitStatus.NORMAL, ExitReason.SAVE_STATE_SUCCEEDED);
            case MIGRATED -> ended(known, host, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);
            case NEVER_ARRIVED -> ended(known, host, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED);
            case NOTHING -> after(known, scene -> scene.doesNotMention(host));
            case SILENCE -> after(known, scene -> scene.stopsAnswering(host));
        };
    }

    private static String ended(Known known, HostId host, ExitStatus status, ExitReason reason) {
        return after(known, scene -> scene.saysDown(host, status, reason));
    }

    private static String after(Known known, UnaryOperator<Scene> report) {
        Scene before = known.scene().get();
        HostId responsible = before.host();
        VmStatus status = before.status();
        Scene after = report.apply(before);
        if (after.contested() != null) {
            return "contested";
        }
        String where = moved(responsible, after.host());
        return after.status() == status && where.isEmpty() ? "" : after.status().label() + where;
    }

    private static String moved(HostId before, HostId after) {
        if (after == null || Objects.equals(before, after)) {
            return "";
        }
        return Arrays.stream(Speaker.values())
                .filter(speaker -> speaker.host().equals(after))
                .map(speaker -> before == null ? " there" : " on " + speaker.text)
                .findFirst()
                .orElseThrow();
    }

    /** The statuses of a running process together: mostly each is taken as it is reported. */
    private static String afterRunning(Known known, HostId host) {
        Set<String> taken = new LinkedHashSet<>();
        List<String> ignored = new ArrayList<>();
        for (VmStatus status : RUNNING) {
            Scene before = known.scene().get();
            boolean same = before.status() == status;
            HostId responsible = before.host();
            Scene after =
                    status == VmStatus.PAUSED
                            ? before.saysPaused(host, PauseStatus.EIO)
                            : before.says(host, status);
            String where = moved(responsible, after.host());
            if (after.contested() != null) {
                taken.add("contested");
            } else if (after.status() == status && (!same || !where.isEmpty())) {
                taken.add("as reported" + where);
            } else if (!same) {
                ignored.add(
                        after.status() == known.scene().get().status()
                                ? status.label()
                                : status.label() + " (" + after.status().label() + ")");
            }
        }
        if (taken.isEmpty()) {
            return "";
        }
        return String.join(", ", taken)
                + (ignored.isEmpty() ? "" : ", but not " + String.join(", ", ignored));
    }

    private static final Map<Speaker, List<Says>> COLUMNS =
            new TreeMap<>(
                    Map.of(
                            Speaker.ITS_HOST,
                            List.of(Says.values()),
                            Speaker.DESTINATION,
                            List.of(
                                    Says.RUNS,
                                    Says.MIGRATES,
                                    Says.RECEIVES,
                                    Says.POST_COPY,
                                    Says.ENDED,
                                    Says.FAILED,
                                    Says.NEVER_ARRIVED),
                            Speaker.ANOTHER,
                            List.of(
                                    Says.RUNS,
                                    Says.MIGRATES,
                                    Says.RECEIVES,
                                    Says.POST_COPY,
                                    Says.ENDED,
                                    Says.FAILED,
                                    Says.MIGRATED,
                                    Says.NEVER_ARRIVED)));

    private static boolean isAsked(Known known, Speaker speaker) {
        Scene scene = known.scene().get();
        return switch (speaker) {
            case ITS_HOST -> scene.host() != null;
            case DESTINATION -> scene.placement().migratingTo() != null;
            case ANOTHER -> true;
        };
    }

    private static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        page.append("\n```mermaid\nstateDiagram-v2\n");
        edges().forEach((edge, causes) -> page.append("    %s : %s\n".formatted(edge, causes)));
        page.append(
                """
                ```

                `runs` stands for every status of a process that is neither migrating nor at its end, `off` for down and for disks
                that cannot be used.

                ## Every report about every status

                A cell contains the next status of the VM; empty: no change. Equal rows are merged. *As reported* is the status
                of the report, *there* and *on …* mean that the reporting host becomes responsible. A report about a
                process that is not the VM's is ignored, or the process is destroyed; the scenarios list both.
                """);
        COLUMNS.forEach((speaker, columns) -> table(page, speaker, columns));
        return page.toString();
    }

    private static void table(StringBuilder page, Speaker speaker, List<Says> columns) {
        page.append("\n### ")
                .append(Character.toUpperCase(speaker.text.charAt(0)))
                .append(speaker.text.substring(1))
                .append(" reports\n\n| The VM is |");
        columns.forEach(says -> page.append(' ').append(says.text).append(" |"));
        page.append("\n|---|").append("---|".repeat(columns.size())).append('\n');
        Map<List<String>, List<String>> rows = new LinkedHashMap<>();
        for (Known known : KNOWN) {
            if (isAsked(known, speaker)) {
                List<String> cells =
                        columns.stream().map(says -> next(known, speaker, says)).toList();
                rows.computeIfAbsent(cells, _ -> new ArrayList<>()).add(known.text());
            }
        }
        rows.forEach((cells, names) ->
                page.append("| ")
                        .append(String.join("; ", names))
                        .append(" | ")
                        .append(String.join(" | ", cells))
                        .append(" |\n"));
    }

    /** Changes between groups of statuses, and their causes. */
    private static Map<String, String> edges() {
        Map<String, Map<String, Set<String>>> causes = new LinkedHashMap<>();
        for (Known known : KNOWN) {
            String from = group(known.scene().get().status());
            COLUMNS.forEach((speaker, columns) -> {
                if (isAsked(known, speaker)) {
                    for (Says says : columns) {
                        groupAfter(next(known, speaker, says))
                                .filter(to -> !to.equals(from))
                                .ifPresent(to ->
                                        causes.computeIfAbsent(
                                                        from + " --> " + to,
                                                        _ -> new LinkedHashMap<>())
                                                .computeIfAbsent(
                                                        speaker.text, _ -> new LinkedHashSet<>())
                                                .add(says.text));
                    }
                }
            });
        }
        Map<String, String> edges = new LinkedHashMap<>();
        causes.forEach((edge, by) ->
                edges.put(
                        edge,
                        by.entrySet().stream()
                                .map(said ->
                                        said.getKey()
                                                + " ("
                                                + String.join(", ", said.getValue())
                                                + ")")
                                .collect(Collectors.joining(" / "))));
        return edges;
    }

    private static Optional<String> groupAfter(String next) {
        if (next.startsWith("as reported")) {
            return Optional.of("runs");
        }
        String label = next.split(" ", 2)[0];
        return Arrays.stream(VmStatus.values())
                .filter(status -> status.label().equals(label))
                .map(VmStatesPageTest::group)
                .findFirst();
    }

    private static String group(VmStatus status) {
        return switch (status) {
            case DOWN, IMAGE_ILLEGAL, IMAGE_LOCKED -> "off";
            case SUSPENDED, SAVING_STATE, MIGRATING_FROM, MIGRATING_TO, UNKNOWN -> status.label();
            case UP,
                    POWERING_UP,
                    PAUSED,
                    NOT_RESPONDING,
                    WAIT_FOR_LAUNCH,
                    REBOOT_IN_PROGRESS,
                    RESTORING_STATE,
                    POWERING_DOWN,
                    UNASSIGNED ->
                    "runs";
        };
    }

    @Test
    void thePageEqualsTheAnalysis() throws IOException {
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(PAGE, render());
        }
        assertThat(PAGE).as("run with -Dstillwater.docs.update=true").hasContent(render());
    }
}
