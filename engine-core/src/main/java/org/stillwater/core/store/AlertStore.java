package org.stillwater.core.store;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.Silence;

/** Alert rules, silences and alerts, durable. Thread-safe. */
public interface AlertStore {

    /**
     * Every rule, by name.
     *
     * @throws StoreUnavailable if the database does not answer now
     */
    List<AlertRule> rules() throws StoreUnavailable;

    /**
     * Adds a rule, or replaces the one of its id.
     *
     * @return false if another one has its name
     * @throws StoreUnavailable if the database does not take it now
     */
    boolean save(AlertRule rule) throws StoreUnavailable;

    /**
     * Removes a rule; its alerts stay.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database does not take it now
     */
    boolean removeRule(UUID id) throws StoreUnavailable;

    /**
     * Every silence that is kept, the one that ends first at the front.
     *
     * @throws StoreUnavailable if the database does not answer now
     */
    List<Silence> silences() throws StoreUnavailable;

    /**
     * Adds a silence, or replaces the one of its id.
     *
     * @throws StoreUnavailable if the database does not take it now
     */
    void save(Silence silence) throws StoreUnavailable;

    /**
     * Removes a silence.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database does not take it now
     */
    boolean removeSilence(UUID id) throws StoreUnavailable;

    /**
     * Alerts: those that fire, then the newest of the others by the time that they fired.
     *
     * @param limit how many at most
     * @throws StoreUnavailable if the database does not answer now
     */
    List<Alert> alerts(int limit) throws StoreUnavailable;

    /** Adds alerts, or replaces those of the same identity. */
    WriteOutcome saveAlerts(List<Alert> alerts);

    /**
     * Removes alerts that were resolved, and silences that ended, before a time.
     *
     * @return how many were removed
     * @throws StoreUnavailable if the database does not answer now
     */
    int removeEndedBefore(Instant time) throws StoreUnavailable;
}
