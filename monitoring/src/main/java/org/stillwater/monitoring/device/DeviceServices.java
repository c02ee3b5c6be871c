package org.stillwater.monitoring.device;

import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.audit.AuditLog;
import org.stillwater.monitoring.belief.BeliefLog;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.write.BatchWriter;

/** Services that the device monitors of all hosts share; each is thread-safe. */
public record DeviceServices(
        VmRegistry registry,
        ChangeFeed feed,
        BatchWriter writer,
        AuditLog audit,
        EngineClock clock,
        MonitoringMeters meters,
        VmStore vms,
        DeviceStore devices,
        VmAdditions additions,
        ExternalDataSaves externalData,
        BeliefLog beliefs) {}
