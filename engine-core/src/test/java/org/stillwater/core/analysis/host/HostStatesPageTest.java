package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostStatus;

/**
 * The page about hosts' statuses is the table of transitions, drawn. Run with {@code
 * -Dstillwater.docs.update=true} to write it.
 */
class HostStatesPageTest {

    private static final Path PAGE = Path.of("..", "docs", "explanation", "host-states.md");

    private static final String HEAD =
            """
            # The states of a host

            A test generates this page from
            [`HostTransition`](../../engine-core/src/main/java/org/stillwater/core/analysis/host/HostTransition.java), and fails when
            the page is outdated. No other transition can happen: a decision outside the table is a bug and throws an exception. The
            rules are in [`core.analysis.host`](../../engine-core/src/main/java/org/stillwater/core/analysis/host), one class for each
            chapter below.

            A model visits [every history of at most seven events](../../engine-core/src/test/java/org/stillwater/core/analysis/host/HostModelTest.java)
            and takes each transition; [the simulation](simulation.md) does so with whole fleets.
            """;

    /** The chapters of the page. */
    private enum Subject {
        CONTACT(
                "Contact",
                "A host reports its capabilities, then its statistics, and only then it is up."
                        + " Failed contacts have no effect for a while."),
        FITNESS(
                "Fitness",
                "A host that answers may still not be able to run VMs. VMs leave it as its cluster"
                        + " has it."),
        ORDERS(
                "Orders",
                "What people and commands ask for. VMs leave before maintenance; a host that is"
                        + " silent needs no leaving."),
        ENGINE("The engine starts", "What was under way when the engine stopped begins anew.");

        final String title;
        final String about;

        Subject(String title, String about) {
            this.title = title;
            this.about = about;
        }
    }

    private static Subject subject(HostTransition transition) {
        return switch (transition) {
            case CONTACT_MADE, CONTACT_LOST, GIVEN_UP, AGENT_RECOVERING, RECOVERY_TIMED_OUT ->
                    Subject.CONTACT;
            case UNFIT, INTERFACE_DOWN, FIT_AGAIN -> Subject.FITNESS;
            case MAINTENANCE_ORDERED,
                    MAINTENANCE_OF_SILENT,
                    DRAINED,
                    ACTIVATED,
                    REBOOT_ORDERED,
                    DUMP_FOUND,
                    DUMP_OVER,
                    REBOOT_OVER ->
                    Subject.ORDERS;
            case ENGINE_STARTED, ENGINE_STARTED_FORGIVING -> Subject.ENGINE;
        };
    }

    private static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        for (Subject subject : Subject.values()) {
            page.append("\n## ").append(subject.title).append("\n\n").append(subject.about);
            page.append("\n\n```mermaid\nstateDiagram-v2\n");
            of(subject)
                    .forEach(transition ->
                            sorted(transition.from())
                                    .forEach(from ->
                                            page.append(
                                                    "    %s --> %s : %s\n"
                                                            .formatted(
                                                                    label(from),
                                                                    label(transition.to()),
                                                                    transition.cause()))));
            page.append("```\n\n| Transition | Because | From | To |\n|---|---|---|---|\n");
            of(subject)
                    .forEach(transition ->
                            page.append(
                                    "| `%s` | %s | %s | %s |\n"
                                            .formatted(
                                                    transition,
                                                    transition.cause(),
                                                    sorted(transition.from())
                                                            .map(HostStatesPageTest::label)
                                                            .collect(Collectors.joining(", ")),
                                                    label(transition.to()))));
        }
        page.append(
                """

                ## Statuses

                *Asked*: whether the host is asked anything at all. *Polled*: whether its VMs are. *Removable*: whether the host may
                be removed once no VM is on it. Statuses that no transition leads to are set by programs that add or install hosts.

                | Status | Code | Asked | Polled | Removable | Reached by monitoring |
                |---|---|---|---|---|---|
                """);
        Set<HostStatus> reached = EnumSet.noneOf(HostStatus.class);
        for (HostTransition transition : HostTransition.values()) {
            reached.add(transition.to());
        }
        for (HostStatus status : HostStatus.values()) {
            page.append(
                    "| %s | %d | %s | %s | %s | %s |\n"
                            .formatted(
                                    label(status),
                                    status.code(),
                                    yes(status.isRefreshed()),
                                    yes(status.isInContact()),
                                    yes(HostAnalysis.isRemovable(status)),
                                    yes(reached.contains(status))));
        }
        return page.toString();
    }

    private static Stream<HostTransition> of(Subject subject) {
        return Arrays.stream(HostTransition.values())
                .filter(transition -> subject(transition) == subject);
    }

    private static Stream<HostStatus> sorted(Set<HostStatus> statuses) {
        return EnumSet.copyOf(statuses).stream();
    }

    private static String yes(boolean is) {
        return is ? "yes" : "";
    }

    private static String label(HostStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    @Test
    void thePageIsTheTable() throws IOException {
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(PAGE, render());
        }
        assertThat(PAGE).as("run with -Dstillwater.docs.update=true").hasContent(render());
    }
}
