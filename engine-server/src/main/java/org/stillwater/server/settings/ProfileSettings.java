package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The engine's profile of itself, by the JDK's flight recorder, and recordings on request.
 *
 * @param enabled whether the engine records its profile from its start on
 * @param samplePeriod time between two samples of running threads
 * @param nativeSamplePeriod time between two samples of threads in native code
 * @param allocationSamples samples of allocations a second, at most
 * @param waitThreshold shortest wait for a lock that is recorded
 * @param interval length of the intervals in which the profile is kept
 * @param span age up to which the profile is kept
 * @param mostCalls nodes of the tree of calls
 * @param mostNames types, locks and statements, each, that an interval lists
 * @param recordingLength longest recording
 * @param recordingSize largest recording; older events give way
 * @param recordingAge age at which the engine deletes a recording
 */
@ConfigurationProperties("stillwater.profile")
public record ProfileSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("50ms") Duration samplePeriod,
        @DefaultValue("200ms") Duration nativeSamplePeriod,
        @DefaultValue("20") int allocationSamples,
        @DefaultValue("20ms") Duration waitThreshold,
        @DefaultValue("10s") Duration interval,
        @DefaultValue("1h") Duration span,
        @DefaultValue("20000") int mostCalls,
        @DefaultValue("200") int mostNames,
        @DefaultValue("10m") Duration recordingLength,
        @DefaultValue("64MB") DataSize recordingSize,
        @DefaultValue("1h") Duration recordingAge) {

    public ProfileSettings {
        Checks.duration(
                "profile.sample-period",
                samplePeriod,
                Duration.ofMillis(10),
                Duration.ofSeconds(1));
        Checks.duration(
                "profile.native-sample-period",
                nativeSamplePeriod,
                Duration.ofMillis(10),
                Duration.ofSeconds(10));
        Checks.number("profile.allocation-samples", allocationSamples, 1, 1_000);
        Checks.duration(
                "profile.wait-threshold",
                waitThreshold,
                Duration.ofMillis(1),
                Duration.ofSeconds(10));
        Checks.duration("profile.interval", interval, Duration.ofSeconds(1), Duration.ofMinutes(1));
        Checks.duration("profile.span", span, Duration.ofMinutes(1), Duration.ofHours(24));
        Checks.require(
                span.compareTo(interval) >= 0 && interval.toMillis() % 1_000 == 0,
                "profile.interval",
                "whole seconds and no longer than stillwater.profile.span",
                Checks.text(interval));
        Checks.number("profile.most-calls", mostCalls, 1_000, 1_000_000);
        Checks.number("profile.most-names", mostNames, 10, 10_000);
        Checks.duration(
                "profile.recording-length",
                recordingLength,
                Duration.ofSeconds(1),
                Duration.ofHours(1));
        Checks.size(
                "profile.recording-size",
                recordingSize,
                DataSize.ofMegabytes(1),
                DataSize.ofMegabytes(1_024));
        Checks.duration(
                "profile.recording-age", recordingAge, Duration.ofMinutes(1), Duration.ofHours(24));
    }
}
