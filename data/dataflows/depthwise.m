// depthwise: for layers in which every channel has a kernel of its own. Groups of channels over all elements, each of
// which runs through its channels and over the map. ClusterSz is the number of channels per element.
Dataflow {
    SpatialMap(ClusterSz,ClusterSz) C;
    TemporalMap(Sz(R),1) Y;
    TemporalMap(Sz(S),1) X;
    TemporalMap(Sz(R),Sz(R)) R;
    TemporalMap(Sz(S),Sz(S)) S;
}
