package org.stillwater.fake.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.TransportSettings;
import org.stillwater.fake.relay.RelayPlan;
import org.stillwater.fake.world.WorldSettings;

/**
 * The options of the program.
 *
 * @param world the data centre
 * @param transport the wire
 * @param addresses addresses of its hosts
 * @param pki folder of certificates; null for no TLS
 * @param pkiPassword of the PKCS#12 files
 * @param controlPort port of the control interface; null for the usual one
 * @param speed simulated seconds in a real one; 0 for steps
 * @param life events that happen without orders
 * @param relays relays beside the hosts; null for none
 */
record FleetSettings(
        WorldSettings world,
        TransportSettings transport,
        Addresses addresses,
        @Nullable Path pki,
        String pkiPassword,
        @Nullable Integer controlPort,
        double speed,
        SpontaneousEvents.Pace life,
        @Nullable RelayPlan relays) {}
