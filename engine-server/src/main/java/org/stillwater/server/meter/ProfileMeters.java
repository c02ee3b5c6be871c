package org.stillwater.server.meter;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.stereotype.Component;
import org.stillwater.server.profile.EngineProfile;
import org.stillwater.server.profile.Stage;

/** The engine's profile by stage. Thread-safe. */
@Component
class ProfileMeters implements MeterBinder {

    private final EngineProfile profile;

    ProfileMeters(EngineProfile profile) {
        this.profile = profile;
    }

    @Override
    public void bindTo(MeterRegistry meters) {
        if (!profile.isEnabled()) {
            return;
        }
        for (Stage stage : Stage.values()) {
            if (stage != Stage.GC && stage != Stage.JIT) {
                FunctionCounter.builder(
                                "stillwater.profile.samples", profile, each -> each.samples(stage))
                        .tag("stage", stage.tag())
                        .description("Samples of running threads")
                        .register(meters);
                FunctionCounter.builder(
                                "stillwater.profile.allocated",
                                profile,
                                each -> each.allocatedBytes(stage))
                        .tag("stage", stage.tag())
                        .baseUnit("bytes")
                        .description("Allocated memory, estimated from samples")
                        .register(meters);
            }
        }
    }
}
