package org.stillwater.monitoring.dwh;

/** When statistics are dumped for a data warehouse. */
public enum DumpMode {
    /** While a warehouse reads. */
    AUTO,
    /** Always. */
    ALWAYS,
    /** Never: views of samples are empty. */
    NEVER
}
