package org.stillwater.dal;

/** Purpose of a statement; the tag of the SQL meters. */
public enum SqlStage {
    /** Changed columns of VMs, and the work that follows from them. */
    STATE("state"),
    /** Taken work. */
    WORK("work"),
    /** Imported VMs. */
    ADD("add"),
    /** Devices of VMs with a changed token. */
    DEVICES("devices"),
    /** TPM and NVRAM data with a changed hash. */
    EXTERNAL_DATA("external_data"),
    /** Hosts: definitions and state. */
    HOSTS("hosts"),
    /** Clusters and data centres. */
    CLUSTERS("clusters"),
    /** Operations, and the work that they take. */
    OPERATIONS("operations"),
    /** Full definitions of VMs, affinity groups, fence agents, tags. */
    DEFINITIONS("definitions"),
    /** Pools of VMs. */
    POOLS("pools"),
    /** Users and tokens. */
    USERS("users"),
    /** The audit log. */
    AUDIT("audit"),
    /** Jobs of VMs. */
    JOBS("jobs"),
    /** Sizes of LUNs. */
    LUNS("luns"),
    /** NUMA nodes of hosts. */
    NUMA("numa"),
    /** Samples of VM statistics, on their own interval: never part of a statistics cycle. */
    DWH("dwh"),
    /** Durable history, on its own interval and its own connections. */
    HISTORY("history"),
    /** Transitions of VMs and hosts, after they happened; none while the fleet is stable. */
    BELIEFS("beliefs"),
    /** Findings of regressions and their inputs, on their own interval: no part of a cycle. */
    REGRESSIONS("regressions"),
    /** Requested versions of definitions. */
    CONFIGURATION("configuration"),
    /** Recovery at start. */
    LOAD("load"),
    /** Health checks. */
    HEALTH("health"),
    /** Everything that names no stage. */
    OTHER("other");

    private final String tag;

    SqlStage(String tag) {
        this.tag = tag;
    }

    /** Value of the meters' tag {@code stage}. */
    public String tag() {
        return tag;
    }
}
