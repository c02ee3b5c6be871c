package org.stillwater.xapi.host;

import java.util.ArrayList;
import java.util.List;
import org.stillwater.core.port.HostAnswer;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.RefusalCode;
import org.stillwater.xapi.client.XapiException;

/** XAPI's errors as refusals that keep its code, and what it expected and found. Pure. */
final class Refusals {

    private Refusals() {}

    /** The refusal of a call. */
    static <T> HostAnswer<T> of(XapiException.Failure failure) {
        List<String> error = new ArrayList<>();
        error.add(failure.code());
        error.addAll(failure.parameters());
        return of(error);
    }

    /**
     * The refusal of a call or a task.
     *
     * @param error its code and parameters
     */
    static <T> HostAnswer<T> of(List<String> error) {
        String code = error.getFirst();
        String found = error.size() > 3 ? error.get(3) : "?";
        return switch (code) {
            case "VM_BAD_POWER_STATE" ->
                    refused(
                            found.equalsIgnoreCase("halted")
                                    ? RefusalCode.VM_IS_DOWN
                                    : RefusalCode.UNEXPECTED,
                            "VM_BAD_POWER_STATE: expected %s, found %s"
                                    .formatted(error.size() > 2 ? error.get(2) : "?", found));
            case "OTHER_OPERATION_IN_PROGRESS" ->
                    refused(
                            RefusalCode.UNEXPECTED,
                            "OTHER_OPERATION_IN_PROGRESS: %s is under way".formatted(found));
            case "HANDLE_INVALID", "UUID_INVALID" ->
                    refused(RefusalCode.NO_SUCH_VM, String.join(" ", error));
            case "HOST_NOT_ENOUGH_FREE_MEMORY", "NO_HOSTS_AVAILABLE" ->
                    refused(RefusalCode.OUT_OF_MEMORY, String.join(" ", error));
            case "MESSAGE_METHOD_UNKNOWN" ->
                    refused(RefusalCode.NO_SUCH_VERB, String.join(" ", error));
            default -> refused(RefusalCode.UNEXPECTED, String.join(" ", error));
        };
    }

    /** A refusal in our own words. */
    static <T> HostAnswer<T> refused(int code, String message) {
        return new HostAnswer.Failed<>(new HostFailure.Refused(code, message));
    }
}
