package org.stillwater.core.cadence;

import java.util.List;
import java.util.Locale;

/** Why a host has its interval. */
public sealed interface CadenceReason {

    /** Codes of all reasons, for bounded tags. */
    List<String> CODES =
            List.of(
                    "starting",
                    "pushed",
                    "trouble",
                    "operation",
                    "viewed",
                    "rule",
                    "moving",
                    "quiet",
                    "budget");

    /** One word. */
    String code();

    /** One sentence. */
    String text();

    /** No complete poll has been analysed yet. */
    record Starting() implements CadenceReason {
        @Override
        public String code() {
            return "starting";
        }

        @Override
        public String text() {
            return "No complete poll has been analysed yet.";
        }
    }

    /** A relay pushes the reports of its VMs. */
    record Pushed() implements CadenceReason {
        @Override
        public String code() {
            return "pushed";
        }

        @Override
        public String text() {
            return "A relay pushes the reports of the host's VMs.";
        }
    }

    /**
     * The host is not well, so that its statistics cycles keep the ordinary interval.
     *
     * @param cause a clause
     */
    record Trouble(String cause) implements CadenceReason {
        @Override
        public String code() {
            return "trouble";
        }

        @Override
        public String text() {
            return "The host is not well: " + cause + ".";
        }
    }

    /**
     * Operations on VMs of the host are under way.
     *
     * @param vms VMs that change their status or that a command holds; 0 for a command a moment ago
     */
    record Operation(int vms) implements CadenceReason {
        @Override
        public String code() {
            return "operation";
        }

        @Override
        public String text() {
            return vms == 0
                    ? "The host got a command a moment ago."
                    : "VMs with an operation under way: " + vms + ".";
        }
    }

    /** Clients read the host or one of its VMs. */
    record Viewed() implements CadenceReason {
        @Override
        public String code() {
            return "viewed";
        }

        @Override
        public String text() {
            return "A client reads the host or one of its VMs.";
        }
    }

    /** An alert rule that is soon over its time covers the host or one of its VMs. */
    record Rule() implements CadenceReason {
        @Override
        public String code() {
            return "rule";
        }

        @Override
        public String text() {
            return "An alert rule with a short time covers the host or one of its VMs.";
        }
    }

    /**
     * The movement of its VMs requests the ordinary interval or a shorter one.
     *
     * @param percent VMs that moved in the newest poll
     */
    record Moving(int percent) implements CadenceReason {
        @Override
        public String code() {
            return "moving";
        }

        @Override
        public String text() {
            return "VMs that moved between the last two polls: " + percent + " %.";
        }
    }

    /**
     * Its VMs move so little that it has more than the ordinary interval.
     *
     * @param percent VMs that moved in the newest poll
     */
    record Quiet(int percent) implements CadenceReason {
        @Override
        public String code() {
            return "quiet";
        }

        @Override
        public String text() {
            return "The host is quiet; VMs that moved between the last two polls: "
                    + percent
                    + " %.";
        }
    }

    /**
     * Movement requests a shorter interval than the processor time allows.
     *
     * @param stretch by how much intervals are longer
     */
    record Budget(double stretch) implements CadenceReason {
        @Override
        public String code() {
            return "budget";
        }

        @Override
        public String text() {
            return String.format(
                    Locale.ROOT,
                    "The CPU budget stretches intervals by a factor of %.1f.",
                    stretch);
        }
    }
}
