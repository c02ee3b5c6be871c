package org.stillwater.server.stall;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.Stall;

/** Causes that delay waiting work, at the moment of the call. */
interface StallCauses {

    /** Present work of a host's thread; null if the host is gone. */
    @Nullable Stall ofHost(HostId host);

    /** The virtual threads that have a carrier. */
    List<CarriedThread> carried();

    /** Time that collections stopped the process for since its start, in ms. */
    long collectorMillis();

    /** Those of this process. */
    static StallCauses of(FleetReader fleet) {
        List<GarbageCollectorMXBean> collectors =
                List.copyOf(ManagementFactory.getGarbageCollectorMXBeans());
        return new StallCauses() {
            @Override
            public @Nullable Stall ofHost(HostId host) {
                return fleet.work(host);
            }

            @Override
            public List<CarriedThread> carried() {
                return CarriedThread.present();
            }

            @Override
            public long collectorMillis() {
                long millis = 0;
                for (GarbageCollectorMXBean collector : collectors) {
                    millis += collector.getCollectionTime();
                }
                return millis;
            }
        };
    }
}
