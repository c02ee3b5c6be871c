package org.stillwater.ovirt.resource;

import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Statistic.Value;

/** A statistic with its values. */
record Reading(Measure measure, Listing<Value> values) {}
