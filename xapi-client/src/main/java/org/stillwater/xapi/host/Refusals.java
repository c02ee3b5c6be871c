package org.stillwater.xapi.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiException;
import org.stillwater.xapi.client.XapiRecord;

/**
 * XAPI's errors as refusals with its code, and the expected and found states. References of objects
 * become their names. Pure.
 */
final class Refusals {

    private static final Pattern REFERENCE = Pattern.compile("OpaqueRef:[0-9A-Za-z-]+");

    /**
     * Errors that pass: another operation holds the object, or the pool takes no more now. Clients
     * of pools repeat such calls.
     */
    private static final Set<String> PASSING =
            Set.of(
                    "OTHER_OPERATION_IN_PROGRESS",
                    "TOO_MANY_PENDING_TASKS",
                    "TOO_MANY_STORAGE_MIGRATES",
                    "TOO_BUSY",
                    "HOST_STILL_BOOTING",
                    "HA_ENABLE_IN_PROGRESS",
                    "HA_DISABLE_IN_PROGRESS");

    private static final List<XapiClass> NAMED = List.of(PoolObjects.VM, PoolObjects.HOST);

    private Refusals() {}

    /** The refusal of a call. */
    static <T> HostAnswer<T> of(XapiException.Failure failure, PoolObjects objects) {
        List<String> error = new ArrayList<>();
        error.add(failure.code());
        error.addAll(failure.parameters());
        return of(error, objects);
    }

    /**
     * The refusal of a call or a task.
     *
     * @param error its code and parameters
     * @param objects the pool's objects, for their names
     */
    static <T> HostAnswer<T> of(List<String> error, PoolObjects objects) {
        return new HostAnswer.Failed<>(failure(error, objects));
    }

    /** The same as a failure. */
    static HostFailure failure(List<String> error, PoolObjects objects) {
        String code = error.getFirst();
        String words =
                REFERENCE
                        .matcher(String.join(" ", error))
                        .replaceAll(
                                found -> Matcher.quoteReplacement(name(found.group(), objects)));
        String found = error.size() > 3 ? error.get(3) : "?";
        return switch (code) {
            case "VM_BAD_POWER_STATE" ->
                    refusal(
                            found.equalsIgnoreCase("halted")
                                    ? RefusalCode.VM_IS_DOWN
                                    : RefusalCode.UNEXPECTED,
                            "VM_BAD_POWER_STATE: expected %s, found %s"
                                    .formatted(error.size() > 2 ? error.get(2) : "?", found));
            case "OTHER_OPERATION_IN_PROGRESS" ->
                    refusal(
                            RefusalCode.BUSY,
                            "OTHER_OPERATION_IN_PROGRESS: %s is under way"
                                    .formatted(operation(error)));
            case "HANDLE_INVALID", "UUID_INVALID" ->
                    refusal(isOfVm(error) ? RefusalCode.NO_SUCH_VM : RefusalCode.UNEXPECTED, words);
            case "HOST_NOT_ENOUGH_FREE_MEMORY", "NO_HOSTS_AVAILABLE" ->
                    refusal(RefusalCode.OUT_OF_MEMORY, words);
            case "TASK_CANCELLED" -> refusal(RefusalCode.CANCELLED, words);
            case "MESSAGE_METHOD_UNKNOWN" -> refusal(RefusalCode.NO_SUCH_VERB, words);
            default ->
                    refusal(
                            PASSING.contains(code) ? RefusalCode.BUSY : RefusalCode.UNEXPECTED,
                            words);
        };
    }

    /** Whether the missing object is a VM: a missing task or disk is no proof that a VM is gone. */
    private static boolean isOfVm(List<String> error) {
        return error.size() > 1 && error.get(1).equalsIgnoreCase("VM");
    }

    /**
     * The operation that is under way: servers since 2025 name it as the third parameter, earlier
     * ones behind the class, as in {@code VM.suspend}, or not at all.
     */
    private static String operation(List<String> error) {
        if (error.size() > 3) {
            return error.get(3);
        }
        String type = error.size() > 1 ? error.get(1) : "";
        int point = type.indexOf('.');
        return point < 0 ? "another operation" : type.substring(point + 1);
    }

    private static String name(String ref, PoolObjects objects) {
        for (XapiClass type : NAMED) {
            XapiRecord named = objects.find(type, ref);
            if (named != null && !named.text("name_label").isBlank()) {
                return named.text("name_label");
            }
        }
        return ref;
    }

    /** A refusal in our own words. */
    static <T> HostAnswer<T> refused(int code, String message) {
        return new HostAnswer.Failed<>(refusal(code, message));
    }

    private static HostFailure refusal(int code, String message) {
        return new HostFailure.Refused(code, message);
    }
}
