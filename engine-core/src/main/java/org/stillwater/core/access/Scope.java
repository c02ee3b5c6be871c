package org.stillwater.core.access;

import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;

/** Scope on which a role is granted. */
public sealed interface Scope {

    /** The whole data centre. */
    record Everything() implements Scope {}

    /** A cluster, its hosts and its VMs. */
    record OfCluster(ClusterId cluster) implements Scope {}

    /** One VM. */
    record OfVm(VmId vm) implements Scope {}
}
