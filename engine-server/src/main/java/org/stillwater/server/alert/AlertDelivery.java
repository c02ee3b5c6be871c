package org.stillwater.server.alert;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.AlertSettings;
import org.stillwater.server.settings.MailSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends the begin and the end of each finding and of each alert of a rule to a webhook and by
 * e-mail, once each and in order. Each receiver has a queue and a thread of its own. What is
 * silenced when it begins is left out. Thread-safe.
 */
public final class AlertDelivery {

    private final Function<SeriesOwner.Shared, String> names;
    private final EngineClock clock;
    private final List<DeliveryQueue> queues = new ArrayList<>();

    /**
     * State of a receiver.
     *
     * @param receiver {@code webhook} or {@code mail}
     * @param waiting alerts that wait for it
     * @param dropped alerts that were dropped so far
     * @param failingSince when it began not to take them; null while it does
     * @param trouble why; null while there is none
     */
    public record Condition(
            String receiver,
            int waiting,
            long dropped,
            @Nullable Instant failingSince,
            @Nullable String trouble) {}

    /**
     * A delivery that is not started.
     *
     * @param names objects in words
     * @param taken receives the name of a receiver and its accepted notices: by the id of a finding
     *     or alert, whether the newest notice was about its begin
     */
    public AlertDelivery(
            AlertSettings settings,
            MailSettings mail,
            Function<SeriesOwner.Shared, String> names,
            BiConsumer<String, Map<UUID, Boolean>> taken,
            EngineClock clock,
            JsonMapper mapper,
            MeterRegistry meters) {
        this.names = names;
        this.clock = clock;
        if (!settings.webhook().isEmpty()) {
            queues.add(
                    new DeliveryQueue(
                            "webhook",
                            new WebhookSender(settings, mapper),
                            new DeliveryQueue.Limits(
                                    settings.queue(),
                                    settings.batch(),
                                    Duration.ZERO,
                                    Duration.ZERO,
                                    settings.firstRetry(),
                                    settings.longestRetry()),
                            taken::accept,
                            clock,
                            meters));
        }
        if (mail.enabled()) {
            queues.add(
                    new DeliveryQueue(
                            "mail",
                            new MailSender(mail, settings.externalUrl(), clock),
                            new DeliveryQueue.Limits(
                                    settings.queue(),
                                    settings.queue(), // waiting alerts are one e-mail
                                    mail.gather(),
                                    mail.interval(),
                                    settings.firstRetry(),
                                    settings.longestRetry()),
                            taken::accept,
                            clock,
                            meters));
        }
    }

    /**
     * Offers the newest states of all findings and alerts, by {@code take}: called on a sending
     * thread when a receiver's queue has room again after it dropped some.
     */
    public void offeredBy(Runnable states) {
        queues.forEach(each -> each.offeredBy(states));
    }

    /** Starts a sending thread for each receiver. */
    public void start(Workers workers) {
        queues.forEach(each -> each.start(workers));
    }

    /** Ends the threads; notices that a receiver does not accept in this time are lost. */
    public void stop(Duration patience) {
        queues.forEach(each -> each.stop(patience));
    }

    /** States of the receivers. */
    public List<Condition> conditions() {
        return queues.stream().map(DeliveryQueue::condition).toList();
    }

    /** The queue of a receiver, for tests without a thread. */
    DeliveryQueue queue(String receiver) {
        return queues.stream()
                .filter(each -> each.receiver().equals(receiver))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Takes the newest state of a finding; does not wait for receivers. A silence holds the begin
     * back, not the end: a receiver that took the begin would never end the alert.
     */
    public void take(Finding finding) {
        if (!finding.isOpen() || !finding.isSilenced(clock.now())) {
            take(
                    finding.id(),
                    finding.isOpen(),
                    () -> Notice.of(finding, names.apply(finding.where())));
        }
    }

    /**
     * Takes the newest state of an alert; does not wait for receivers. A silence holds the begin
     * back, not the end: a receiver that took the begin would never end the alert.
     *
     * @param silenced whether a silence covers it now
     */
    public void take(Alert alert, boolean silenced) {
        if (alert.isFiring() && silenced) {
            return;
        }
        for (DeliveryQueue each : queues) {
            if (alert.isFiring() && alert.isToBeEndedAt(each.receiver())) {
                each.restored(alert.id());
            } else {
                each.take(alert.id(), alert.isFiring(), () -> Notice.of(alert));
            }
        }
    }

    /**
     * An alert of a former life of the engine: its begin is sent to receivers that took none,
     * unless a silence covers it, and its end to those that took the begin.
     *
     * @param silenced whether a silence covers it now
     */
    public void restored(Alert alert, boolean silenced) {
        for (DeliveryQueue each : queues) {
            if (alert.isToBeEndedAt(each.receiver())) {
                each.restored(alert.id());
            }
        }
        take(alert, silenced);
    }

    /**
     * A finding lasts since a former life of the engine, which counts as having sent its begin:
     * only its end is to be sent.
     */
    public void restored(Finding finding) {
        queues.forEach(each -> each.restored(finding.id()));
    }

    private void take(UUID id, boolean lasts, Supplier<Notice> notice) {
        queues.forEach(each -> each.take(id, lasts, notice));
    }
}
